import type { ApiClient } from '../support/api-client';
import type { Life } from './life';
import { startedAt } from './life';

/** Every answer of an environment's GET routes, by path. */
interface Reading {
  readonly answers: ReadonlyMap<string, unknown>;
  /** Routes that no resource of the environment belongs to. */
  readonly unread: readonly string[];
}

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

const queries: Readonly<Record<string, string>> = {
  '/webhook-events': '?limit=1000',
  '/webhook-endpoints/{id}/gaps': `?since=${startedAt}`,
};

/** Reads every GET route of a release's document, each resource by its id. */
export async function readEnvironment(
  api: ApiClient,
  document: Document,
  { sessionIds }: Pick<Life, 'sessionIds'>,
): Promise<Reading> {
  const answers = new Map<string, unknown>();
  const ids = new Map<string, readonly string[]>([['/checkout', sessionIds]]);
  const unread: string[] = [];
  // Lists before their items.
  for (const template of routesOf(document)) {
    const paths = expand(template, ids);
    if (paths.length === 0) unread.push(template);
    for (const path of paths) {
      const answer = await read(api, path, queries[template] ?? '');
      answers.set(path, answer);
      ids.set(path, idsIn(answer));
    }
  }
  return { answers, unread };
}

/** Paths of the GET routes below `/v1`, those with fewer parameters first. */
function routesOf({ paths }: Document): string[] {
  const parameters = (path: string) => path.split('{').length;
  return Object.entries(paths)
    .filter(([path, operations]) => path.startsWith('/v1/') && 'get' in operations)
    .map(([path]) => path.slice('/v1'.length))
    .toSorted((a, b) => parameters(a) - parameters(b) || a.length - b.length);
}

/** The paths of a template with each known id. Parameters that follow each other are one id. */
function expand(template: string, ids: ReadonlyMap<string, readonly string[]>): string[] {
  const [prefix = '', rest] = template.split(/(?:\/\{\w+\})+(.*)/s);
  if (rest === undefined) return [template];
  return (ids.get(prefix) ?? []).flatMap((id) => expand(`${prefix}/${id}${rest}`, ids));
}

async function read(api: ApiClient, path: string, query: string): Promise<unknown> {
  const { status, headers, body } = await api.get(`${path}${query}`);
  if (Array.isArray(body?.data) && typeof body.total === 'number') {
    return { status, body: await api.all(path) };
  }
  // The file names the time of its creation.
  const isFile = headers.get('content-type')?.startsWith('application/pdf') === true;
  return { status, body: isFile ? 'a file' : body };
}

function idsIn(answer: unknown): string[] {
  const { body } = answer as { body: any };
  const items: any[] = Array.isArray(body) ? body : Array.isArray(body?.data) ? body.data : [];
  const ids = items.map((item) => {
    // An email template is identified by both; the feed has the id in the event.
    if (item?.kind !== undefined && item.language !== undefined)
      return `${item.kind}/${item.language}`;
    return item?.id ?? item?.event?.id;
  });
  return ids.filter((id) => typeof id === 'string');
}
