// Bundles the page into the package, or into the folder that is given: one module and one style
// sheet, the same bytes each time.
import { build } from "esbuild";
import { copyFileSync } from "node:fs";
import { join } from "node:path";

const target = process.argv[2] ?? "../src/infoset/web/static";
await build({
  entryPoints: { infoset: "src/main.tsx" },
  bundle: true,
  minify: true,
  format: "esm",
  target: "es2022",
  charset: "utf8",
  legalComments: "inline",
  outdir: target,
});
copyFileSync("src/index.html", join(target, "index.html"));
