// Packs a package as `npm install` takes it, for the gateway to serve.
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { create } from 'tar';

const root = join(import.meta.dirname, '../..');
const downloads = join(root, 'gateway/dist/downloads');
const described = ['name', 'version', 'description', 'license'];

/**
 * Packs files of `dist`; `more` describes how the package is used, `notices` has the licenses of
 * packages in it.
 */
export async function pack(folder, { entries, more, notices }) {
  const contents = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const packed = join(folder, 'dist/package');
  rmSync(packed, { recursive: true, force: true });
  for (const entry of entries) {
    cpSync(join(folder, 'dist', entry), join(packed, 'dist', entry), {
      recursive: true,
      filter: (file) => !/\.test\.|\.map$/.test(file),
    });
  }
  cpSync(join(folder, 'README.md'), join(packed, 'README.md'));
  cpSync(join(root, 'LICENSE'), join(packed, 'LICENSE'));
  if (notices !== undefined) writeFileSync(join(packed, 'THIRD-PARTY-NOTICES'), notices);
  const kept = Object.fromEntries(described.map((field) => [field, contents[field]]));
  const text = JSON.stringify({ ...kept, ...more(contents) }, undefined, 2);
  writeFileSync(join(packed, 'package.json'), `${text}\n`);

  const [, name] = contents.name.split('/');
  mkdirSync(downloads, { recursive: true });
  // Those of earlier releases: the gateway serves its own.
  for (const packed of readdirSync(downloads)) {
    if (packed.startsWith(`${name}-`)) rmSync(join(downloads, packed));
  }
  const file = join(downloads, `${name}-${contents.version}.tgz`);
  // The same sources give the same bytes.
  const options = {
    gzip: true,
    portable: true,
    noMtime: true,
    cwd: packed,
    prefix: 'package',
    file,
  };
  await create(options, readdirSync(packed).sort());
}
