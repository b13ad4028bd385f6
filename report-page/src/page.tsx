// The page: reads its contents, lays out the sections, and searches for features.

import { render } from "preact";
import { useEffect, useMemo, useState } from "preact/hooks";
import { Audit } from "./audit";
import type { Contents } from "./contents";
import { Feature } from "./feature";
import { Folded, shownFeatures } from "./folded";
import { ClassPicker } from "./classes";
import { Measures } from "./measures";
import { modelsOf } from "./model";
import { Splits } from "./splits";
import { Bar, Summary } from "./summary";
import { Intervals, Trail } from "./trail";
import { WhatIf } from "./whatif";

const SECTIONS = [
  ["summary", "Summary"],
  ["measures", "Measures"],
  ["features", "Features"],
  ["what-if", "What if"],
  ["splits", "Splits"],
  ["audit", "Audit"],
];

function Page({ contents: all }: { contents: Contents }) {
  const models = useMemo(() => modelsOf(all), [all]);
  const [chosen, setChosen] = useState(0);
  const model = models[chosen];
  const labels = all.classes.length > 0 ? all.summary.classes.map(String) : [];
  const contents = useMemo(
    () => (labels.length > 0 ? { ...all, features: all.classes[chosen].features } : all),
    [chosen],
  );
  const [search, setSearch] = useState("");
  const [opened, setOpened] = useState<ReadonlySet<number>>(new Set());
  const { features } = contents;
  const wanted = search.trim().toLowerCase();
  const isMatch = ({ name }: { name: string }) => name.toLowerCase().includes(wanted);
  const matches = useMemo(
    () => (wanted ? new Set(features.filter(isMatch).map(({ index }) => index)) : null),
    [wanted],
  );
  const shown = useMemo(
    () => shownFeatures(features, opened, matches),
    [features, opened, matches],
  );
  const visible = shown.filter(isMatch);
  const shownContents = { ...contents, features: shown };
  useEffect(() => {
    const found = new Set(visible.map(({ name }) => name));
    for (const part of document.querySelectorAll<HTMLElement>("[data-feature]")) {
      part.hidden = !found.has(part.dataset.feature!);
    }
  }, [matches, opened]);
  const open = (index: number) => {
    setOpened(new Set([...opened, index]));
    requestAnimationFrame(() => {
      location.hash = `feature-${index}`;
    });
  };
  const totalImportance = features.reduce((sum, { importance }) => sum + importance, 0);
  const largest = features[0].importance || 1;
  return (
    <>
      <a class="skip" href="#summary">
        Skip to the summary
      </a>
      <nav aria-label="Contents">
        <ul class="sections">
          {SECTIONS.filter(([id]) => id !== "measures" || all.measures).map(([id, title]) => (
            <li>
              <a href={`#${id}`}>{title}</a>
            </li>
          ))}
        </ul>
        <input
          type="search"
          placeholder="Search features"
          aria-label="Search features"
          value={search}
          onInput={(event) => setSearch(event.currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key === "Enter" && visible.length > 0)
              location.hash = `feature-${visible[0].index}`;
          }}
        />
        <p class="found" role="status">
          {wanted && `${visible.length} of ${features.length} features shown`}
          {matches && matches.size > visible.length && `, ${matches.size} match`}
        </p>
        <ol class="feature-list">
          {shown.map((feature) => (
            <li key={feature.index} data-feature={feature.name}>
              <a href={`#feature-${feature.index}`} title={feature.title}>
                <span>{feature.name}</span>
                <Bar share={feature.importance / largest} />
              </a>
            </li>
          ))}
        </ol>
      </nav>
      <main>
        <header>
          <h1>{contents.title}</h1>
        </header>
        {labels.length > 0 && <ClassPicker {...{ labels, chosen, setChosen }} />}
        <Summary contents={shownContents} chosen={chosen} />
        {all.measures && (
          <Measures measures={all.measures} chosen={chosen} classes={all.summary.classes} />
        )}
        <section id="features" aria-labelledby="features-title">
          <h2 id="features-title">Features</h2>
          <p class="note">
            Each curve shows what the feature's value adds to the score, with its 90 % pointwise
            band. Below it, where the training rows lie. A dotted line with an arrow marks a hidden
            jump: there the feature also switches the curve of another feature.
            {all.summary.link === "logit" &&
              " Contributions are log-odds; pointing at a curve also tells what it does to the probability, where all other contributions are 0."}
          </p>
          {shown.map((feature) => (
            <Feature
              key={`${chosen} ${feature.index}`}
              feature={feature}
              model={model}
              totalImportance={totalImportance}
            />
          ))}
          {shown.length < features.length && (
            <Folded
              features={features.filter((feature) => !shown.includes(feature))}
              totalImportance={totalImportance}
              open={open}
            />
          )}
        </section>
        <WhatIf contents={shownContents} models={models} chosen={chosen} />
        <Splits contents={shownContents} />
        <Audit range={contents.range} features={shown} />
        <Intervals coverage={all.measures?.coverage ?? []} />
        <Trail trail={contents.trail} />
        <footer>
          {contents.origin && <p id="origin">The model was {contents.origin}.</p>}
          Written by calmgam {contents.version}. The method: Gkolemis et al.,
          Interpretability-by-Design with Accurate Locally Additive Models and Conditional Feature
          Effects, 2026, arXiv 2602.16503.
        </footer>
      </main>
    </>
  );
}

window.addEventListener("beforeprint", () => {
  for (const part of document.querySelectorAll("details")) part.open = true;
});

const contents: Contents = JSON.parse(document.getElementById("contents")!.textContent!);
render(<Page contents={contents} />, document.getElementById("page")!);
