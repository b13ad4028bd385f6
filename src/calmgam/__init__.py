"""calmgam: Conditionally Additive Local Models."""
