// Unpacks the files of the Chromium package: unpack-chromium.mjs TARGET. Those that hold several files stay archives.
import { createReadStream, createWriteStream, readdirSync } from "node:fs";
import { pipeline } from "node:stream/promises";
import { createBrotliDecompress } from "node:zlib";

const source = new URL("node_modules/@sparticuz/chromium/bin/", import.meta.url);
const [target] = process.argv.slice(2);
for (const name of readdirSync(source).filter((each) => each.endsWith(".br"))) {
  const unpacked = createWriteStream(`${target}/${name.slice(0, -3)}`, { mode: 0o755 });
  await pipeline(createReadStream(new URL(name, source)), createBrotliDecompress(), unpacked);
}
