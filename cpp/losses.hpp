// Losses as functors: what boosting of curves (boosting_rows.hpp, in lanes of floats) and of trees (trees.hpp, in
// doubles) needs to know of one. A loss has
//     step(y, score, weight)   negative gradient and curvature: the hessian, or a bound of it where that may vanish
//     cost(y, score, weight)   what is compared on validation rows; from it the least possible cost is taken,
//     least(y)                 which does not depend on the score, so that costs are at least 0
//     LOW, HIGH                which y it takes
//     QUADRATIC                whether one expansion is the loss itself
//     ADAPTS, adapt(mean_cost) whether and how it changes from round to round
// fit/data/losses.py has the same in numpy. A new loss: a struct here, and its name in AnyLoss.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <limits>
#include <variant>

#include "lanes.hpp"

namespace calmgam {

template <typename Real>
struct Step {
    Real gradient, curvature;  // the gradient is the negative one
};

constexpr double UNBOUNDED = std::numeric_limits<double>::infinity();

// Scores of a log link are kept within this, so that no product overflows.
constexpr double MAX_LOG = 60.0;

inline float exponential(float x) {
    return fast_exp_any(std::min(std::max(x, -60.0f), 60.0f));
}
inline double exponential(double x) {
    return std::exp(std::min(std::max(x, -MAX_LOG), MAX_LOG));
}

struct AlwaysTheSame {
    static constexpr bool ADAPTS = false;
    void adapt(double) {}
};

struct SquaredError : AlwaysTheSame {
    static constexpr double LOW = -UNBOUNDED, HIGH = UNBOUNDED;
    static constexpr bool QUADRATIC = true;
    template <typename Real>
    Step<Real> step(Real y, Real score, Real weight) const {
        return {weight * (y - score), weight};
    }
    template <typename Real>
    Real cost(Real y, Real score, Real weight) const {
        return weight * ((y - score) * (y - score));
    }
    double least(double) const { return 0.0; }
};

// Negative log-likelihood of 0 or 1; scores are log-odds of 1.
struct LogLoss : AlwaysTheSame {
    static constexpr double LOW = 0.0, HIGH = 1.0;
    static constexpr bool QUADRATIC = false;
    Step<float> step(float y, float score, float weight) const {
        const float decay = fast_exp(-std::fabs(score));  // in (0, 1]
        const float share = 1.0f / (1.0f + decay), rest = decay * share;
        const float p = score >= 0.0f ? share : rest;
        const float variance = share * rest;
        const float floored = variance > 1e-6f ? variance : 1e-6f;
        return {weight * (y - p), weight * floored};
    }
    float cost(float y, float score, float weight) const {
        const float decay = fast_exp(-std::fabs(score));
        const float log_loss = fast_log1p(decay) + ((score > 0.0f ? score : 0.0f) - score * y);
        return weight * log_loss;
    }
    Step<double> step(double y, double score, double weight) const {
        const double p = 1.0 / (1.0 + std::exp(-score));
        return {weight * (y - p), weight * p * (1.0 - p)};
    }
    double cost(double y, double score, double weight) const {
        return weight * (std::max(score, 0.0) + std::log1p(std::exp(-std::fabs(score))) - y * score);
    }
    double least(double) const { return 0.0; }
};

// Half the deviance of y >= 0 whose mean is exp(score).
struct Poisson : AlwaysTheSame {
    static constexpr double LOW = 0.0, HIGH = UNBOUNDED;
    static constexpr bool QUADRATIC = false;
    template <typename Real>
    Step<Real> step(Real y, Real score, Real weight) const {
        const Real mean = exponential(score);
        return {weight * (y - mean), weight * mean};
    }
    template <typename Real>
    Real cost(Real y, Real score, Real weight) const {
        return weight * (exponential(score) - y * score);
    }
    double least(double y) const { return y > 0.0 ? y - y * std::log(y) : 0.0; }
};

// Half the deviance of y > 0 whose mean is exp(score), with a spread that grows like it.
struct Gamma : AlwaysTheSame {
    static constexpr double LOW = 0.0, HIGH = UNBOUNDED;
    static constexpr bool QUADRATIC = false;
    template <typename Real>
    Step<Real> step(Real y, Real score, Real weight) const {
        const Real ratio = y * exponential(-score);
        return {weight * (ratio - Real(1)), weight * ratio};
    }
    template <typename Real>
    Real cost(Real y, Real score, Real weight) const {
        return weight * (y * exponential(-score) + score);
    }
    double least(double y) const { return 1.0 + std::log(std::max(y, 1e-300)); }
};

// The same between the two: the variance is the mean to the power of 1 .. 2.
struct Tweedie : AlwaysTheSame {
    static constexpr double LOW = 0.0, HIGH = UNBOUNDED;
    static constexpr bool QUADRATIC = false;
    double power;
    explicit Tweedie(double p) : power(p) {}
    template <typename Real>
    Step<Real> step(Real y, Real score, Real weight) const {
        const Real rest = static_cast<Real>(2.0 - power), fall = static_cast<Real>(power - 1.0);
        const Real event = y * exponential(-fall * score), mean = exponential(rest * score);
        return {weight * (event - mean), weight * (fall * event + rest * mean)};
    }
    template <typename Real>
    Real cost(Real y, Real score, Real weight) const {
        const Real rest = static_cast<Real>(2.0 - power), fall = static_cast<Real>(power - 1.0);
        return weight * (y * exponential(-fall * score) / fall + exponential(rest * score) / rest);
    }
    double least(double y) const { return std::pow(y, 2.0 - power) / ((power - 1.0) * (2.0 - power)); }
};

// Half the squared error up to `width`, beyond it straight on.
struct Huber : AlwaysTheSame {
    static constexpr double LOW = -UNBOUNDED, HIGH = UNBOUNDED;
    static constexpr bool QUADRATIC = false;
    double width;
    explicit Huber(double w) : width(w) {}
    template <typename Real>
    Step<Real> step(Real y, Real score, Real weight) const {
        const Real most = static_cast<Real>(width), error = y - score, size = std::fabs(error);
        const Real share = size > most ? most / size : Real(1);  // the parabola that touches and bounds the loss
        return {weight * (share * error), weight * share};
    }
    template <typename Real>
    Real cost(Real y, Real score, Real weight) const {
        const Real most = static_cast<Real>(width), size = std::fabs(y - score);
        const Real inside = size < most ? size : most;
        return weight * (inside * (size - Real(0.5) * inside));
    }
    double least(double) const { return 0.0; }
};

// The check function of a quantile. Its kink is smoothed over a `bandwidth` that follows the errors as they become
// smaller, by a kernel of fourth order (the logistic density less half its variance times its second derivative),
// which moves no quantile to second order. The curvature is that of the parabola that touches and bounds the
// smoothed loss, so no step goes too far.
struct Quantile {
    static constexpr double LOW = -UNBOUNDED, HIGH = UNBOUNDED;
    static constexpr bool QUADRATIC = false;
    static constexpr bool ADAPTS = true;
    static constexpr double HALF_VARIANCE = 1.6449340668482264;  // of the logistic distribution: pi^2 / 6
    double level, share, bandwidth;                              // the share of the mean cost that is the bandwidth
    Quantile(double tau, double of_cost, double mean_cost) : level(tau), share(of_cost), bandwidth(1.0) {
        adapt(mean_cost);
    }
    void adapt(double mean_cost) { bandwidth = std::max(share * mean_cost, 1e-6); }
    template <typename Real>
    Step<Real> step(Real y, Real score, Real weight) const {
        const Real error = (y - score) / static_cast<Real>(bandwidth), size = std::fabs(error);
        const Real decay = exponential(-size), most = Real(1) / (Real(1) + decay);
        const Real density = Real(HALF_VARIANCE) * (decay * most * most), middle = (Real(1) - decay) * most;
        const Real bend = density * middle;
        const Real below = error >= Real(0) ? decay * most - bend : most + bend;  // how much of the row is below
        const Real apart = size > Real(1e-3) ? size : Real(1e-3);
        const Real slope = (size > Real(1e-3) ? middle : Real(5e-4)) * (Real(1) + Real(2) * density);
        return {weight * (static_cast<Real>(level) - below),
                weight * (slope / (Real(2) * apart * static_cast<Real>(bandwidth)))};
    }
    template <typename Real>
    Real cost(Real y, Real score, Real weight) const {
        const Real error = y - score, rise = static_cast<Real>(level);
        return weight * (error >= Real(0) ? rise * error : (rise - Real(1)) * error);
    }
    double least(double) const { return 0.0; }
};

// A loss that is not compiled: it is asked for all rows at once.
struct Given : AlwaysTheSame {
    static constexpr double LOW = -UNBOUNDED, HIGH = UNBOUNDED;
    static constexpr bool QUADRATIC = false;
    // Scores come in columns, one after the other; so do the answers, per unit of weight.
    using Answer = std::function<void(const double* scores, std::size_t n_columns, std::size_t n_rows,
                                      double* gradients, double* hessians, double* costs)>;
    Answer ask;
    double least(double) const { return 0.0; }
};

using AnyLoss = std::variant<SquaredError, LogLoss, Poisson, Gamma, Tweedie, Huber, Quantile, Given>;

}  // namespace calmgam
