/** JSON schema, as far as the references show it. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly description?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
}

/** Schemas by name. */
export type NamedSchemas = Readonly<Record<string, Schema>>;

/** Markdown table of the fields of an object; empty without fields. */
export function fieldTable({ properties = {}, required = [] }: Schema): string {
  const rows = Object.entries(properties).map(([field, value]) => [
    `\`${field}\`${required.includes(field) ? '' : ' (optional)'}`,
    typeOf(value),
    value.description ?? '',
  ]);
  return table(['field', 'type', 'description'], rows);
}

/** Heading and fields of each schema. */
export function schemaSections(schemas: NamedSchemas): string[] {
  return Object.entries(schemas).flatMap(([name, schema]) => [
    `### Schema ${name}`,
    schema.description ?? '',
    fieldTable(schema) || `Type: ${typeOf(schema)}`,
  ]);
}

/** Describes a schema in words; a named schema links to its section. */
export function typeOf(schema: Schema): string {
  if (schema.$ref !== undefined) {
    const name = nameOf(schema.$ref);
    return `[${name}](#schema-${name.toLowerCase()})`;
  }
  const options = schema.anyOf ?? schema.oneOf;
  if (options !== undefined) return options.map(typeOf).join(' or ');
  if (schema.enum !== undefined) return schema.enum.map(code).join(', ');
  if (schema.const !== undefined) return code(schema.const);
  if (schema.items !== undefined) return `list of ${typeOf(schema.items)}`;
  if (schema.properties !== undefined) {
    return `object of ${Object.keys(schema.properties).map(code).join(', ')}`;
  }
  return [[schema.type ?? []].flat().join(' or '), schema.format, boundsOf(schema)]
    .filter(Boolean)
    .join(' ');
}

/** Markdown table; empty without rows. */
export function table(heads: readonly string[], rows: readonly (readonly string[])[]): string {
  if (rows.length === 0) return '';
  const lines = [heads, heads.map(() => '---'), ...rows].map(
    (cells) => `| ${cells.map(cell).join(' | ')} |`,
  );
  return lines.join('\n');
}

/** Name at the end of a reference. */
export function nameOf(reference: string): string {
  return reference.slice(reference.lastIndexOf('/') + 1);
}

function boundsOf({ minimum, maximum, minLength, maxLength }: Schema): string {
  const [low, high] = [minimum ?? minLength, maximum ?? maxLength];
  if (low === undefined && high === undefined) return '';
  return `${String(low ?? '')}…${String(high ?? '')}`;
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|').replace(/\s*\n\s*/g, ' ');
}

function code(value: unknown): string {
  return `\`${String(value)}\``;
}
