import { execFile, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';

const cache = join(__dirname, '../../../../../node_modules/.cache/official-rules');
const installTimeoutMs = 10 * 60_000;

const schemas = 'external/schemas';
const shared = [
  'CCTS_CCT_SchemaModule',
  'xmldsig-core-schema',
  'XAdES01903v132-201601',
  'XAdES01903v141-201601',
].map((name) => `schemas/${name}.xsd`);
const ublSchema = (root: string) =>
  [...shared, `${schemas}/ubl21/maindoc/UBL-${root}-2.1.xsd`].join('+');
const en16931 = (syntax: string) =>
  `external/schematron/1.3.16/${syntax.toLowerCase()}/EN16931-${syntax}-validation.xslt`;
const xRechnung = (syntax: string) =>
  `external/schematron/3.0.2/XRechnung-${syntax}-validation.xslt`;

/** Checks of a document: schemas, and the rules of EN 16931 and XRechnung. */
export const officialRules = {
  ublInvoice: [ublSchema('Invoice'), en16931('UBL')],
  ublCreditNote: [ublSchema('CreditNote'), en16931('UBL')],
  cii: [`${schemas}/d16b/data/standard/CrossIndustryInvoice_100pD16B.xsd`, en16931('CII')],
  xRechnungUbl: [xRechnung('UBL')],
  xRechnungCii: [xRechnung('CII')],
  pdf: ['PDFA_3_B'],
} as const;

/**
 * Archives with the rules as a class path, fetched once. Undefined where Java, Maven or the
 * archives are unavailable. Throws an Error for an archive with other content than the pinned one.
 */
export function ensureOfficialRules(): string | undefined {
  const options = { stdio: 'ignore', timeout: installTimeoutMs } as const;
  if (spawnSync('javac', ['-version'], options).status !== 0) return undefined;
  const archives = readFileSync(join(__dirname, 'checksums.txt'), 'utf8')
    .trim()
    .split('\n')
    .map((line) => line.split(/\s+/) as [string, string]);
  const paths = archives.map(([, name]) => join(cache, name));
  if (!paths.every((path) => existsSync(path))) {
    const copy = ['-f', join(__dirname, 'pom.xml'), 'dependency:copy-dependencies'];
    const { status } = spawnSync(
      'mvn',
      ['-q', '-B', ...copy, `-DoutputDirectory=${cache}`],
      options,
    );
    if (status !== 0) return undefined;
  }
  for (const [expected, name] of archives) {
    const found = createHash('sha256')
      .update(readFileSync(join(cache, name)))
      .digest('hex');
    if (found !== expected) throw new Error(`${name} has another content than the pinned one`);
  }
  return paths.join(delimiter);
}

/** A file with the checks that it has to pass. */
export interface CheckedFile {
  readonly path: string;
  readonly checks: readonly string[];
}

/** Violations of the files, one a line: name of the file and text of the rule. */
export async function violationsOf(
  files: readonly CheckedFile[],
  classPath: string,
): Promise<string[]> {
  const program = join(__dirname, 'CheckDocuments.java');
  const wanted = files.map(({ path, checks }) => `${path}=${checks.join(',')}`);
  const { stdout } = await promisify(execFile)('java', ['-cp', classPath, program, ...wanted], {
    maxBuffer: 64 * 1024 * 1024,
  });
  const lines = stdout.trim().split('\n');
  if (lines.pop() !== `checked ${String(files.length)}`) throw new Error(`Unfinished: ${stdout}`);
  return lines;
}
