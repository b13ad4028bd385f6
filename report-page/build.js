// Bundles the page into the Python package: page.js, page.css and the licences of what is inside.
// The first line of page.js names the sources it was built from; a test compares it with them.

import { createHash } from "node:crypto";
import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import { build } from "esbuild";

const assets = "../src/calmgam/read/report/assets";

const { metafile } = await build({
  entryPoints: ["src/page.tsx", "src/page.css"],
  outdir: assets,
  bundle: true,
  minify: true,
  format: "iife",
  target: "es2021",
  jsx: "automatic",
  jsxImportSource: "preact",
  legalComments: "none",
  metafile: true,
  banner: { js: `/* sources ${sourceDigest()}; licences of bundled packages: LICENSES.txt */` },
});
writeFileSync(`${assets}/LICENSES.txt`, licences(metafile));

function sourceDigest() {
  const digest = createHash("sha256");
  for (const name of readdirSync("src").sort()) digest.update(readFileSync(`src/${name}`));
  return digest.update(readFileSync("package-lock.json")).digest("hex").slice(0, 16);
}

function licences({ inputs }) {
  const names = Object.keys(inputs).map(
    (path) => path.match(/^node_modules\/((@[^/]+\/)?[^/]+)/)?.[1],
  );
  const packages = [...new Set(names.filter(Boolean))].sort();
  return packages
    .map((name) => {
      const { version } = JSON.parse(readFileSync(`node_modules/${name}/package.json`, "utf8"));
      const file = readdirSync(`node_modules/${name}`).find((entry) => /^licen[cs]e/i.test(entry));
      return `${name} ${version}\n\n${readFileSync(`node_modules/${name}/${file}`, "utf8").trim()}\n`;
    })
    .join("\n--------------------------------\n\n");
}
