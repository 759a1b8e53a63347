import { isDeepStrictEqual } from 'node:util';
import { type Document, MongoClient } from 'mongodb';
import type { Machine } from './machine';

/** All documents of a database, by collection, as of one time. */
export type Copy = ReadonlyMap<string, readonly Document[]>;

// Documents are put back with the types that they had.
const exact = { promoteValues: false, promoteLongs: false, bsonRegExp: true };

const copiesMax = 100;
// Written every second, and named by nothing else.
const beating = new Set(['replicas']);

/** Copies the databases of services, and puts them back, as other tools would. */
export class Copies {
  private constructor(
    private readonly client: MongoClient,
    private readonly prefix: string,
  ) {}

  static async connect({ site }: Machine): Promise<Copies> {
    const client = await MongoClient.connect(site.mongodbUri);
    return new Copies(client, site.databasePrefix);
  }

  close(): Promise<void> {
    return this.client.close();
  }

  /**
   * Copies databases, one after the other, with the heartbeats of their replicas. Each copy is of
   * one instant: it equals the one before it.
   */
  async save(services: readonly string[]): Promise<ReadonlyMap<string, Copy>> {
    const copies = new Map<string, Copy>();
    for (const service of services) copies.set(service, await this.copyAtOneInstant(service));
    return copies;
  }

  private async copyAtOneInstant(service: string): Promise<Copy> {
    let before = await this.copy(service);
    for (let again = 1; again <= copiesMax; again += 1) {
      const after = await this.copy(service);
      const changed = [...after.keys()].filter((name) => {
        return !beating.has(name) && !isDeepStrictEqual(before.get(name), after.get(name));
      });
      if (changed.length === 0) return after;
      before = after;
      if (again === copiesMax) throw new Error(`${service} is written: ${changed.join(' ')}`);
    }
    return before;
  }

  private async copy(service: string): Promise<Copy> {
    const copy = new Map<string, readonly Document[]>();
    for (const name of await this.collectionsOf(service)) {
      const found = this.of(service).collection(name).find({}, exact);
      copy.set(name, await found.sort({ _id: 1 }).toArray());
    }
    return copy;
  }

  /** Replaces the documents of databases by those of copies. */
  async putBack(copies: ReadonlyMap<string, Copy>): Promise<void> {
    for (const [service, copy] of copies) {
      const db = this.of(service);
      for (const name of new Set([...copy.keys(), ...(await this.collectionsOf(service))])) {
        await db.collection(name).deleteMany({});
        const documents = copy.get(name) ?? [];
        if (documents.length > 0) await db.collection(name).insertMany([...documents]);
      }
    }
  }

  private of(service: string) {
    return this.client.db(`${this.prefix}_${service}`);
  }

  private async collectionsOf(service: string): Promise<string[]> {
    const listed = await this.of(service).listCollections({}, { nameOnly: true }).toArray();
    return listed
      .map(({ name }) => name)
      .filter((name) => !name.startsWith('system.'))
      .toSorted();
  }
}

const timesOfWriting = new Set(['changedAt', 'at']);

/** The copy as it would be if all its documents and heartbeats were older by this time. */
export function older(copy: Copy, byMs: number): Copy {
  const move = (document: Document): Document =>
    Object.fromEntries(
      Object.entries(document).map(([name, value]) => [
        name,
        timesOfWriting.has(name) && value instanceof Date
          ? new Date(value.getTime() - byMs)
          : value,
      ]),
    );
  return new Map([...copy].map(([name, documents]) => [name, documents.map(move)]));
}
