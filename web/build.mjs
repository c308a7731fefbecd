// Bundles the workbench into dist/, from where scripts/embed puts it into the program.
import { build } from "esbuild";
import { cp, mkdir, rm } from "node:fs/promises";

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
await cp("src/style.css", "dist/style.css");
await cp("node_modules/preact/LICENSE", "dist/preact-license.txt");
await cp("src/index.html", "dist/index.html");
