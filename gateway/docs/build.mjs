// Writes the documentation site, compiled from `src`, where the gateway serves it.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';

const { buildSite } = createRequire(import.meta.url)('./dist/site.js');

const folder = join(import.meta.dirname, '../dist/docs');
const files = buildSite();
rmSync(folder, { recursive: true, force: true });
for (const [name, content] of files) {
  const file = join(folder, name);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, content);
  // Here, as the reference takes too long for a request.
  writeFileSync(`${file}.gz`, gzipSync(content, { level: 9 }));
}
