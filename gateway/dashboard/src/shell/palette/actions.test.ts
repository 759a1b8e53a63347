import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { House, Users } from 'lucide-react';
import { actionsOf, creations, matchingActions, pathOf } from './actions';

const pages = [
  { path: '/', label: 'Home', Icon: House },
  { path: '/customers', label: 'Customers', Icon: Users },
];
const live = { kind: 'LIVE', id: 'live', clock: 'REAL' } as const;
const sandbox = { kind: 'SANDBOX', id: 'sandbox', clock: 'MANUAL' } as const;
type Role = Parameters<typeof actionsOf>[0]['role'];
const labelsOf = (role: Role, environment: Parameters<typeof actionsOf>[1]) =>
  actionsOf({ role }, environment, pages).map(({ label }) => label);

describe('the actions', () => {
  test('of an owner create everything, and go to every page', () => {
    const labels = labelsOf('OWNER', live);
    expect(labels).toEqual(expect.arrayContaining(['Create customer', 'Create API key']));
    expect(labels.slice(-2)).toEqual(['Go to Home', 'Go to Customers']);
    expect(labels).not.toContain('Advance clock');
  });

  test('of a developer in live are those of developers', () => {
    const labels = labelsOf('DEVELOPER', live);
    expect(labels).toContain('Create webhook endpoint');
    expect(labels).not.toContain('Create customer');
  });

  test('of a viewer change nothing', () => {
    expect(labelsOf('VIEWER', live)).toEqual(['Go to Home', 'Go to Customers']);
  });

  test('of a sandbox with a manual clock advance it', () => {
    const advance = actionsOf({ role: 'OWNER' }, sandbox, pages).find(({ id }) => id === 'clock');
    expect(advance?.path).toBe('/developers/sandboxes/sandbox');
  });

  test('open dialogs of buttons that the pages have', () => {
    const sources = ['pages', 'resources']
      .map((folder) => join(__dirname, '../..', folder))
      .flatMap((folder) =>
        readdirSync(folder, { recursive: true, encoding: 'utf8' })
          .filter((file) => file.endsWith('.tsx'))
          .map((file) => readFileSync(join(folder, file), 'utf8')),
      )
      .join('\n');
    const missing = creations.filter(({ button }) => !sources.includes(`label="${button}"`));
    expect(missing).toEqual([]);
  });
});

describe('a typed text', () => {
  const actions = actionsOf({ role: 'OWNER' }, sandbox, pages);
  const found = (text: string) => matchingActions(actions, text).map(({ label }) => label);

  test.each<[string, string, readonly string[]]>([
    ['the beginning of a label', 'create cus', ['Create customer']],
    ['words in another order', 'customer create', ['Create customer']],
    ['another word for it', 'add customer', ['Create customer']],
    ['a page', 'home', ['Go to Home']],
    ['the middle of a word', 'stomer', []],
    ['nothing known', 'xyz', []],
  ])('that is %s finds its actions', (_case, text, labels) => {
    expect(found(text)).toEqual(labels);
  });

  test('finds labels that begin with it before others', () => {
    expect(found('go')).toEqual(['Go to Home', 'Go to Customers']);
    expect(found('a')[0]).toBe('Advance clock');
  });

  test('that is empty finds all actions', () => {
    expect(found(' ')).toEqual(actions.map(({ label }) => label));
  });
});

test('a found resource has its page', () => {
  expect(pathOf({ type: 'WEBHOOK_ENDPOINT', id: '1' })).toBe('/developers/webhooks/1');
  expect(pathOf({ type: 'INVOICE', id: '1' })).toBe('/invoices/1');
});
