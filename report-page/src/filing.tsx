// What identifies the model and its fit, for whoever files the page.

import type { Filed } from "./contents";

export function Filing({ filed }: { filed: Filed }) {
  const { facts, parameters, constraints } = filed;
  if (facts.length === 0) return null;
  return (
    <div id="filing">
      <dl class="filed">
        {facts.map(([name, text]) => (
          <div>
            <dt>{name}</dt>
            <dd class={/SHA/.test(name) ? "digest" : ""}>{text}</dd>
          </div>
        ))}
      </dl>
      {constraints.length > 0 && (
        <>
          <h3>Constraints</h3>
          <p class="note">
            What the fit was told to keep to. Directions are proved again by this page's audit.
          </p>
          <ul id="constraints">
            {constraints.map((text) => (
              <li>{text}</li>
            ))}
          </ul>
        </>
      )}
      {parameters.length > 0 && (
        <details id="parameters">
          <summary>Parameters of the fit</summary>
          <dl class="filed">
            {parameters.map(([name, text]) => (
              <div>
                <dt>{name}</dt>
                <dd>{text}</dd>
              </div>
            ))}
          </dl>
        </details>
      )}
    </div>
  );
}
