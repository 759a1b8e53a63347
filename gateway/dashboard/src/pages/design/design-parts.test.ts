import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const partsFolder = join(__dirname, '../../parts');

/** Parts that the page shows within other parts, or that the shell adds to each page. */
const shownBy: Readonly<Record<string, string>> = {
  BulkBar: 'ResourceTable',
  ChartTable: 'LineChart',
  Field: 'TextField',
  NameSkeleton: 'NamedLink',
  NewPasswordField: 'TextField',
  Toasts: 'DesignPage',
  Tooltip: 'CopyButton',
};

function sourcesIn(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.tsx'))
    .map((name) => readFileSync(join(folder, name), 'utf8'));
}

/** Exported components, and columns of tables. */
function partsOf(sources: readonly string[]): readonly string[] {
  const exported = /^export (?:function|const) ([A-Z]\w*|\w+Column)\b/gm;
  return sources.flatMap((source) => [...source.matchAll(exported)].map(([, name = '']) => name));
}

function missingFrom(page: string, parts: readonly string[]): readonly string[] {
  return parts.filter((part) => {
    const name = shownBy[part] ?? part;
    const use = /^[A-Z]/.test(name) ? `(<|function )${name}\\b` : `^(?!import).*\\b${name}\\b`;
    return !new RegExp(use, 'm').test(page);
  });
}

test('the design page shows every part that the folder of parts exports', () => {
  const parts = partsOf(sourcesIn(partsFolder));
  expect(parts).toEqual(expect.arrayContaining(['Button', 'CellField', 'moneyColumn']));
  expect(missingFrom(sourcesIn(__dirname).join('\n'), parts)).toEqual([]);
});

test('a part that is only imported is missing', () => {
  const page = `import { activeColumn } from 'x';\nimport { MenuLink, Menu } from 'y';\n<Menu>`;
  const parts = ['Menu', 'MenuLink', 'activeColumn'];
  expect(missingFrom(page, parts)).toEqual(['MenuLink', 'activeColumn']);
});
