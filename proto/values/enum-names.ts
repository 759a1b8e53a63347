/** A value's name without the enum's own as prefix: BILLING_INTERVAL_MONTHLY is MONTHLY. Zero has none: it says nothing. */
type NameOf<Key, Prefix extends string> = Key extends `${Prefix}${infer Name}`
  ? Exclude<Name, 'UNSPECIFIED'>
  : never;

/** The names by which rules, documents and JSON know an enum's values, and their numbers on the wire. */
export interface EnumNames<Name extends string, Value extends number> {
  /** The number of a name; zero for none. */
  valueOf(name: Name | undefined): Value;
  /** Throws an Error for a value that this version does not know: going on by a guess would be wrong. */
  nameOf(value: number): Name;
  /** Undefined for a value that says nothing or that this version does not know. */
  knownName(value: number): Name | undefined;
  /** What a caller sent: undefined for nothing, UNKNOWN for a value that this version does not know. */
  sentName(value: number): Name | 'UNKNOWN' | undefined;
}

/**
 * The names of a generated enum. They are literal types: a rule's own union that lacks one, or has one more, fails to compile where the
 * two meet.
 */
export function enumNames<Key extends string, Value extends number, Prefix extends string>(
  generated: Readonly<Record<Key, Value>>,
  prefix: Prefix,
): EnumNames<NameOf<Key, Prefix>, Value> {
  type Name = NameOf<Key, Prefix>;
  // A generated enum leads from its numbers back to its keys, too.
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
