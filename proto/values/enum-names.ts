/**
 * Name of a value without the prefix of its enum: BILLING_INTERVAL_MONTHLY is MONTHLY. Zero has no
 * name, since it is unspecified.
 */
type NameOf<Key, Prefix extends string> = Key extends `${Prefix}${infer Name}`
  ? Exclude<Name, 'UNSPECIFIED'>
  : never;

/** Names of an enum's values in rules, documents and JSON, with their numbers on the wire. */
export interface EnumNames<Name extends string, Value extends number> {
  /** Returns the number of a name; zero for undefined. */
  valueOf(name: Name | undefined): Value;
  /** Throws an Error for an unknown value, since a guess could be wrong. */
  nameOf(value: number): Name;
  /** Returns undefined for an unspecified or unknown value. */
  knownName(value: number): Name | undefined;
  /** Value sent by a caller: undefined if unspecified, UNKNOWN for an unknown value. */
  sentName(value: number): Name | 'UNKNOWN' | undefined;
}

/**
 * Names of a generated enum. They are literal types: a union of a rule that lacks one, or has one
 * more, fails to compile where both are used.
 */
export function enumNames<Key extends string, Value extends number, Prefix extends string>(
  generated: Readonly<Record<Key, Value>>,
  prefix: Prefix,
): EnumNames<NameOf<Key, Prefix>, Value> {
  type Name = NameOf<Key, Prefix>;
  // A generated enum also maps its numbers to its keys.
  const named = Object.entries<Value | string>(generated).filter(
    (entry): entry is [string, Value] => typeof entry[1] === 'number' && entry[1] >= 0,
  );
  const values = new Map(named.map(([key, value]) => [key.slice(prefix.length), value]));
  const names = new Map(named.map(([key, value]) => [value as number, key.slice(prefix.length)]));
  const knownName = (value: number) =>
    value === 0 ? undefined : (names.get(value) as Name | undefined);
  return {
    valueOf: (name) => {
      const value = values.get(name ?? 'UNSPECIFIED');
      if (value === undefined) throw new Error(`${prefix}${String(name)} is not known here`);
      return value;
    },
    nameOf: (value) => {
      const name = knownName(value);
      if (name === undefined) throw new Error(`${prefix}${String(value)} is not known here`);
      return name;
    },
    knownName,
    sentName: (value) => (value === 0 ? undefined : (knownName(value) ?? 'UNKNOWN')),
  };
}
