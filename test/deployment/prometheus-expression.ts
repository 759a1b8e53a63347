/** A metric with its matchers in an expression. */
export interface Selector {
  readonly metric: string;
  readonly matchers: readonly Matcher[];
}

/** `label="value"`, or with another operator. */
export interface Matcher {
  readonly label: string;
  readonly operator: string;
  readonly value: string;
}

/** The names in a PromQL expression. */
export interface Expression {
  readonly selectors: readonly Selector[];
  /** Each metric, with the labels by which it is selected. */
  readonly metrics: ReadonlyMap<string, readonly string[]>;
  /** The labels by which it groups and matches. */
  readonly groupings: readonly string[];
}

const groupingPattern = /\b(?:by|without|on|ignoring|group_left|group_right)\s*\(([^)]*)\)/g;
const selectorPattern = /([a-zA-Z_:][\w:]*)(?![\w:])\s*(?:\{([^}]*)\})?(?!\s*\()/g;
const matcherPattern = /(\w+)\s*(=~|!~|!=|=)\s*"(\d+)"/g;
const operators = new Set(['and', 'or', 'unless', 'bool']);

export function readExpression(expr: string): Expression {
  // Quoted texts may look like anything: numbers replace them while the rest is parsed.
  const quoted: string[] = [];
  const text = expr
    .replaceAll(/"([^"]*)"/g, (_whole, content: string) => `"${String(quoted.push(content) - 1)}"`)
    .replaceAll(/\[[^\]]*\]/g, '')
    .replaceAll(/\boffset \w+/g, '');
  const selectors = [...text.replaceAll(groupingPattern, '').matchAll(selectorPattern)]
    .filter(([, name = '']) => !operators.has(name))
    .map(([, metric = '', inBraces = '']) => ({
      metric,
      matchers: [...inBraces.matchAll(matcherPattern)].map(
        ([, label = '', operator = '', index]) => ({
          label,
          operator,
          value: quoted[Number(index)] ?? '',
        }),
      ),
    }));
  const metrics = new Map<string, string[]>();
  for (const { metric, matchers } of selectors) {
    const labels = matchers.map(({ label }) => label);
    metrics.set(metric, [...(metrics.get(metric) ?? []), ...labels]);
  }
  return { selectors, metrics, groupings: groupingsOf(text) };
}

/**
 * The labels of its result: those by which it groups, and those that absent() takes from its
 * selector.
 */
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
