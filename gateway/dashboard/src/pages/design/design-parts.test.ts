import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const partsFolder = join(__dirname, '../../parts');

/** Parts that the page shows within other parts, or that the shell adds to each page. */
const shownBy: Readonly<Record<string, string>> = {
  BulkBar: 'ResourceTable',
  ChartTable: 'LineChart',
  DialogWindow: 'DialogButton',
  FailureText: 'PickerField',
  Field: 'TextField',
  NamedFilter: 'ChoiceFilter',
  NameSkeleton: 'NamedLink',
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
  const shown = page.replaceAll(/^import[\s\S]*?;$/gm, '');
  return parts.filter((part) => {
    const name = shownBy[part] ?? part;
    const use = /^[A-Z]/.test(name) ? `(<|function )${name}\\b` : `\\b${name}\\b`;
    return !new RegExp(use).test(shown);
  });
}

test('the design page shows every part that the folder of parts exports', () => {
  const parts = partsOf(sourcesIn(partsFolder));
  expect(parts).toEqual(expect.arrayContaining(['Button', 'CellField', 'moneyColumn']));
  expect(missingFrom(sourcesIn(__dirname).join('\n'), parts)).toEqual([]);
});

test('a part that is only imported is missing', () => {
  const columns = `import {\n  activeColumn,\n  dayColumn,\n} from 'x';`;
  const page = `${columns}\nimport { MenuLink, Menu } from 'y';\n<Menu>\ndayColumn('Due')`;
  const parts = ['Menu', 'MenuLink', 'activeColumn', 'dayColumn'];
  expect(missingFrom(page, parts)).toEqual(['MenuLink', 'activeColumn']);
});
