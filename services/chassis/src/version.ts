import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const manifest = readFileSync(join(__dirname, '../package.json'), 'utf8');

/** Version of the product, which all its packages share. */
export const productVersion = (JSON.parse(manifest) as { version: string }).version;
