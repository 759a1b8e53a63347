/** What an expression of PromQL names. */
export interface Expression {
  /** Each metric, with the labels by which it is selected. */
  readonly metrics: ReadonlyMap<string, readonly string[]>;
  /** The labels by which it groups and matches. */
  readonly groupings: readonly string[];
}

const groupingPattern = /\b(?:by|without|on|ignoring|group_left|group_right)\s*\(([^)]*)\)/g;
const selectorPattern = /([a-zA-Z_:][\w:]*)(?![\w:])\s*(?:\{([^}]*)\})?(?!\s*\()/g;
const operators = new Set(['and', 'or', 'unless', 'bool']);

export function readExpression(expr: string): Expression {
  const text = expr
    .replaceAll(/"[^"]*"/g, '""')
    .replaceAll(/\[[^\]]*\]/g, '')
    .replaceAll(/\boffset \w+/g, '');
  const metrics = new Map<string, string[]>();
  for (const [, name = '', matchers = ''] of text
    .replaceAll(groupingPattern, '')
    .matchAll(selectorPattern)) {
    if (operators.has(name)) continue;
    const labels = [...matchers.matchAll(/(\w+)\s*[=!]/g)].map(([, label = '']) => label);
    metrics.set(name, [...(metrics.get(name) ?? []), ...labels]);
  }
  return { metrics, groupings: groupingsOf(text) };
}

/** The labels that its result has: those by which it groups, and those that absent() takes from its selector. */
export function labelsOf(expr: string): string[] {
  const { metrics, groupings } = readExpression(expr);
  const selected = expr.includes('absent(') ? [...metrics.values()].flat() : [];
  return [...groupings, ...selected].filter((label) => label !== 'le');
}

function groupingsOf(text: string): string[] {
  return [...text.matchAll(groupingPattern)].flatMap(([, list = '']) =>
    list
      .split(',')
      .map((label) => label.trim())
      .filter((label) => label !== ''),
  );
}
