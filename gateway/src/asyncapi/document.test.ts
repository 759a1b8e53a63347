import { describeWebhooks } from './document';
import { webhookExamples } from './webhook-examples';
import { webhookKinds } from './webhook-kinds';

const { messages, schemas } = describeWebhooks().components;

test.each(webhookKinds)(
  '$type has examples, which are what its schema says',
  ({ type, payload }) => {
    const examples = messages[type]?.examples ?? [];
    expect(examples).not.toHaveLength(0);
    for (const example of examples) {
      expect(payload.safeParse(example.payload).error?.issues).toBeUndefined();
      // Nothing of them is unknown to it.
      expect(unknownFields(example.payload, messages[type]?.payload, type)).toEqual([]);
    }
  },
);

test('every example of the contract between services is one of a kind that is described', () => {
  const types = new Set(webhookExamples().map(({ type }) => type));
  expect([...types].sort()).toEqual(webhookKinds.map(({ type }) => type).sort());
});

test('every schema that is named is there', () => {
  const named = JSON.stringify([messages, schemas]).matchAll(/"#\/components\/schemas\/(\w+)"/g);
  for (const [, name = ''] of named) expect(schemas).toHaveProperty(name);
});

interface Schema {
  readonly $ref?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
}

/** Where an example has a field that its schema does not name. */
function unknownFields(value: unknown, schema: Schema | undefined, path: string): string[] {
  if (typeof value !== 'object' || value === null || schema === undefined) return [];
  const { properties, items, anyOf } = resolved(schema);
  if (anyOf !== undefined) {
    const found = anyOf.map((one) => unknownFields(value, one, path));
    return found.toSorted((a, b) => a.length - b.length)[0] ?? [];
  }
  if (Array.isArray(value)) return value.flatMap((one) => unknownFields(one, items, path));
  if (properties === undefined) return [];
  return Object.entries(value).flatMap(([name, field]) =>
    name in properties
      ? unknownFields(field, properties[name], `${path}.${name}`)
      : [`${path}.${name}`],
  );
}

function resolved(schema: Schema): Schema {
  const name = schema.$ref?.replace('#/components/schemas/', '');
  return name === undefined ? schema : (schemas[name] as Schema);
}
