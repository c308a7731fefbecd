// Bundles the workbench into dist/, from where scripts/embed puts it into the program.
import { build } from "esbuild";
import { cp, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { makeDocs } from "./docs.mjs";

await rm("dist", { recursive: true, force: true });
await mkdir("dist");
await build({
  entryPoints: { app: "src/main.tsx" },
  bundle: true,
  minify: true,
  format: "esm",
  target: "es2022",
  jsx: "automatic",
  jsxImportSource: "preact",
  legalComments: "none",
  outdir: "dist",
});
await writeFile("dist/style.css", (await Promise.all(["src/style.css", "src/charts.css", "src/time.css"].map((path) => readFile(path, "utf8")))).join(""));
await makeDocs("../docs", "dist/docs");
await cp("node_modules/preact/LICENSE", "dist/preact-license.txt");
await cp("src/index.html", "dist/index.html");
