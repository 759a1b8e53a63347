import { describeWebhooks } from './document';
import { webhookExamples } from './webhook-examples';
import { webhookKinds } from './webhook-kinds';

const { messages, schemas } = describeWebhooks().components;

test.each(webhookKinds)(
  '$type has examples, which are valid against its schema',
  ({ type, payload }) => {
    const examples = messages[type]?.examples ?? [];
    expect(examples).not.toHaveLength(0);
    for (const example of examples) {
      expect(payload.safeParse(example.payload).error?.issues).toBeUndefined();
      // The schema knows every field of the examples.
      expect(unknownFields(example.payload, messages[type]?.payload, type)).toEqual([]);
    }
  },
);

test('an object that is null at the top level is valid there, and no other value is', () => {
  const { payload } = webhookKinds.find(({ type }) => type === 'checkout.expired')!;
  const [example] = messages['checkout.expired']!.examples;
  const { data, ...head } = example!.payload as { data: object };
  const without = { ...head, invoice: null, data: { ...data, invoice: null } };
  expect(payload.safeParse(without).error?.issues).toBeUndefined();
  expect(payload.safeParse({ ...without, invoice: {} }).success).toBe(false);
});

test('every example event of the proto package has a documented webhook type', () => {
  const types = new Set(webhookExamples().map(({ type }) => type));
  expect([...types].sort()).toEqual(webhookKinds.map(({ type }) => type).sort());
});

test('every schema reference resolves', () => {
  const named = JSON.stringify([messages, schemas]).matchAll(/"#\/components\/schemas\/(\w+)"/g);
  for (const [, name = ''] of named) expect(schemas).toHaveProperty(name);
});

interface Schema {
  readonly $ref?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
}

/** Paths of the fields of an example that its schema does not name. */
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
