const ids = /[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}/g;

/** The fields that a release shows, by the objects that have them, for all ids. */
export class KnownFields {
  private readonly byObject = new Map<string, Set<string>>();

  /** Learns the fields of a value and of all values in it. */
  learn(value: unknown, path = ''): void {
    if (Array.isArray(value)) {
      for (const one of value) this.learn(one, `${path}[]`);
    } else if (isRecord(value)) {
      const known = this.byObject.get(path) ?? new Set();
      this.byObject.set(path, known);
      for (const [name, own] of Object.entries(value)) {
        known.add(nameOf(name));
        this.learn(own, `${path}.${nameOf(name)}`);
      }
    }
  }

  /** The value without the fields that a known object did not have. */
  only(value: unknown, path = ''): unknown {
    if (Array.isArray(value)) return value.map((one) => this.only(one, `${path}[]`));
    if (!isRecord(value)) return value;
    const known = this.byObject.get(path);
    const kept = Object.entries(value)
      .filter(([name]) => known === undefined || known.has(nameOf(name)))
      .map(([name, own]) => [name, this.only(own, `${path}.${nameOf(name)}`)] as const);
    return Object.fromEntries(kept);
  }
}

function nameOf(name: string): string {
  return name.replaceAll(ids, '*');
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
