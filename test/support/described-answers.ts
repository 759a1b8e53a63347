import Ajv2020, { type ValidateFunction } from 'ajv/dist/2020';
import addFormats from 'ajv-formats';
import type { Answer } from './api-client';

interface DescribedResponse {
  readonly $ref?: string;
  readonly headers?: Readonly<Record<string, { readonly schema?: { readonly enum?: string[] } }>>;
  readonly content?: Readonly<Record<string, unknown>>;
}

// These headers depend on the request, or on the gateway's configuration.
const optionalHeaders = ['Ignored-Fields', 'Idempotent-Replayed', 'RateLimit', 'RateLimit-Policy'];
const ofUnknownPaths = [401, 404, 429, 503];

const contracts = new Map<string, Promise<DescribedAnswers>>();

/** Reads a gateway's OpenAPI document, once per gateway. */
export function contractOf(gatewayUrl: string): Promise<DescribedAnswers> {
  const known = contracts.get(gatewayUrl) ?? fetchContract(gatewayUrl);
  contracts.set(gatewayUrl, known);
  known.catch(() => contracts.delete(gatewayUrl));
  return known;
}

/** Reads the document again at the next use, because another release answers at the address now. */
export function forgetContract(gatewayUrl: string): void {
  contracts.delete(gatewayUrl);
}

async function fetchContract(gatewayUrl: string): Promise<DescribedAnswers> {
  const response = await fetch(`${gatewayUrl}/openapi.json`);
  return new DescribedAnswers(await response.json());
}

/**
 * Checks responses against an OpenAPI document: their status, headers and error code, and their
 * body to the last field.
 */
export class DescribedAnswers {
  private readonly ajv = new Ajv2020({ strict: false, validateSchema: false, allErrors: true });
  private readonly validators = new Map<string, ValidateFunction>();
  private readonly paths: readonly { readonly pattern: RegExp; readonly path: string }[];

  constructor(private readonly document: any) {
    addFormats(this.ajv);
    // The document allows additional fields in responses; the responses of this version have none.
    this.ajv.addSchema(withoutUnnamedFields(document), 'api');
    this.paths = Object.keys(document.paths).map((path) => ({
      path,
      pattern: new RegExp(`^${path.replace(/\{\w+\}/g, '[^/]+')}$`),
    }));
  }

  check(request: { method: string; path: string }, { status, headers, body }: Answer): void {
    const [pathname = ''] = request.path.split('?');
    const fail = (problem: string): never => {
      const shown = JSON.stringify(body).slice(0, 1_000);
      throw new Error(`${request.method} ${request.path} ${String(status)}: ${problem}: ${shown}`);
    };
    const known = this.paths.find(({ pattern }) => pattern.test(pathname))?.path;
    if (known === undefined) {
      if (!ofUnknownPaths.includes(status)) fail('no such path is described');
      return;
    }
    const method = request.method.toLowerCase();
    const operation = this.document.paths[known][method];
    if (operation === undefined) return;
    const pointer = ['paths', known, method, 'responses', String(status)];
    const response: DescribedResponse | undefined = operation.responses[status];
    if (response === undefined) return fail('no such status is described');
    const { location, described } = this.resolve(response, pointer);
    const optional = status === 409 ? [...optionalHeaders, 'Retry-After'] : optionalHeaders;
    this.checkHeaders(described, { headers, optional }, fail);
    if (described.content === undefined) {
      if (body !== '') fail('no body is described');
      return;
    }
    if (!('application/json' in described.content)) {
      const [type = ''] = (headers.get('content-type') ?? '').split(';');
      if (!(type in described.content)) fail(`no body of type ${type} is described`);
      return;
    }
    const validate = this.validator([...location, 'content', 'application/json', 'schema']);
    if (!validate(body)) fail(this.ajv.errorsText(validate.errors));
  }

  private checkHeaders(
    described: DescribedResponse,
    { headers, optional }: { headers: Headers; optional: readonly string[] },
    fail: (problem: string) => never,
  ): void {
    for (const [name, { schema }] of Object.entries(described.headers ?? {})) {
      const value = headers.get(name);
      if (value === null && !optional.includes(name)) fail(`the header ${name} is missing`);
      if (value !== null && schema?.enum?.includes(value) === false) {
        fail(`the header ${name} is ${value}`);
      }
    }
  }

  private resolve(response: DescribedResponse, pointer: readonly string[]) {
    if (response.$ref === undefined) return { described: response, location: pointer };
    const name = response.$ref.slice(response.$ref.lastIndexOf('/') + 1);
    const described: DescribedResponse = this.document.components.responses[name];
    return { described, location: ['components', 'responses', name] };
  }

  private validator(pointer: readonly string[]): ValidateFunction {
    const escaped = pointer.map((part) =>
      encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1')),
    );
    const $ref = `api#/${escaped.join('/')}`;
    const known = this.validators.get($ref) ?? this.ajv.compile({ $ref });
    this.validators.set($ref, known);
    return known;
  }
}

/** The same document without additional fields in any object. */
export function withoutUnnamedFields(node: any): any {
  if (Array.isArray(node)) return node.map(withoutUnnamedFields);
  if (typeof node !== 'object' || node === null) return node;
  const copy = Object.fromEntries(
    Object.entries(node).map(([key, value]) => [key, withoutUnnamedFields(value)]),
  );
  const isSchemaOfObject = copy.type === 'object' && copy.properties !== undefined;
  return isSchemaOfObject ? { additionalProperties: false, ...copy } : copy;
}
