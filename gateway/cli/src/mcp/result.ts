/** Content of a tool's result: data inside of named fields. */
export type Content = Readonly<Record<string, unknown>>;

/** A result as the protocol carries it: the same JSON as structure and as text. */
export interface ToolResult {
  readonly structuredContent: Record<string, unknown>;
  readonly content: { type: 'text'; text: string }[];
  // The protocol adds fields.
  readonly [field: string]: unknown;
}

/** Largest result, in bytes. */
export const resultBytesMax = 50_000;

// Of the message around a result.
const messageBytes = 500;

// Limits of texts and nested lists in data that is too large as a whole, tried in turn.
const shorter = [
  { characters: 2_000, items: 50 },
  { characters: 500, items: 20 },
  { characters: 100, items: 5 },
  { characters: 50, items: 1 },
] as const;

/** The result that carries `content`. */
export function toolResult(content: Content): ToolResult {
  const text = JSON.stringify(content);
  return { structuredContent: { ...content }, content: [{ type: 'text', text }] };
}

/**
 * The result with as many of `items` as fit. `build` describes the first of them. If not even one
 * fits, its long texts and lists are shortened, and `isShortened` is true; `build` may set it, too.
 */
export function fittedResult<T>(
  items: readonly T[],
  build: (shown: readonly T[]) => Content,
): ToolResult {
  const count = largestCount(items.length, (some) => fits(build(items.slice(0, some))));
  return toolResult(shortened(build(items.slice(0, Math.max(count, 1)))));
}

function largestCount(total: number, isPossible: (count: number) => boolean): number {
  if (isPossible(total)) return total;
  let [possible, impossible] = [0, total];
  while (impossible - possible > 1) {
    const middle = Math.floor((possible + impossible) / 2);
    if (isPossible(middle)) possible = middle;
    else impossible = middle;
  }
  return possible;
}

function fits(content: Content): boolean {
  const result = JSON.stringify(toolResult({ ...content, isShortened: false }));
  return Buffer.byteLength(result) <= resultBytesMax - messageBytes;
}

function shortened(content: Content): Content {
  if (fits(content)) return { isShortened: false, ...content };
  for (const limits of shorter) {
    const short = shorten(content, limits) as Content;
    if (fits(short)) return { ...short, isShortened: true };
  }
  throw new Error('The data is too large to be shown');
}

interface Limits {
  readonly characters: number;
  readonly items: number;
}

function shorten(value: unknown, limits: Limits): unknown {
  if (typeof value === 'string') return shortText(value, limits);
  if (Array.isArray(value)) return value.slice(0, limits.items).map((one) => shorten(one, limits));
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([key, field]) => [key, shorten(field, limits)]);
  return Object.fromEntries(entries);
}

function shortText(text: string, { characters }: Limits): string {
  return text.length <= characters ? text : `${text.slice(0, characters).toWellFormed()}…`;
}
