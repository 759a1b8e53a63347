import type { AggregateCollection, CommandHandler } from '../aggregates/aggregate-collection';
import { DocumentBatches } from '../aggregates/document-batches';

/**
 * Simulates a crash: counts the steps of a relay and blocks one of them and all later ones forever.
 */
export class SimulatedCrash {
  isDead = false;
  readonly killed: Promise<void>;
  private count = 0;
  private die: () => void = () => undefined;

  constructor(
    private readonly step: number,
    private readonly side: 'before' | 'after',
  ) {
    this.killed = new Promise((resolve) => {
      this.die = resolve;
    });
  }

  wrap<T extends object>(target: T, methods: readonly string[]): T {
    return new Proxy(target, {
      get: (object, name) => {
        const value: unknown = Reflect.get(object, name, object);
        if (typeof value !== 'function') return value;
        if (!methods.includes(String(name))) return value.bind(object) as unknown;
        return (...args: unknown[]) =>
          this.runStep(() => value.apply(object, args) as Promise<unknown>);
      },
    });
  }

  wrapCollection<S extends { readonly id: string }>(
    collection: AggregateCollection<S>,
  ): AggregateCollection<S> {
    const documents = this.wrap(collection.documents, ['findOne', 'updateOne', 'bulkWrite']);
    const batches = new DocumentBatches(documents);
    const handlers = Object.entries(collection.behaviour.commands ?? {});
    const commands = Object.fromEntries(
      handlers.map(([type, handle]): [string, CommandHandler] => [
        type,
        (payload, delivery) => this.runStep(() => handle(payload, delivery)) as Promise<void>,
      ]),
    );
    return new Proxy(collection, {
      get: (object, name) => {
        if (name === 'documents') return documents;
        if (name === 'batches') return batches;
        if (name === 'behaviour') return { commands };
        return Reflect.get(object, name, object) as unknown;
      },
    });
  }

  private async runStep(run: () => Promise<unknown>): Promise<unknown> {
    const forever = new Promise<never>(() => undefined);
    if (this.isDead) return forever;
    const isTheStep = this.count === this.step;
    this.count += 1;
    if (!isTheStep) return run();
    this.isDead = true;
    // A step can fail, too, and the process ends after it all the same.
    if (this.side === 'after') await run().catch(() => undefined);
    this.die();
    return forever;
  }
}
