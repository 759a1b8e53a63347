import { setTimeout as sleep } from 'node:timers/promises';
import { startSystem } from '@billing/local/system';
import { ApiClient } from '../../support/api-client';
import type { Effort, FigureTable } from '../report/bench';
import { CommandCounts } from '../figures/command-counts';
import { type Comparison, compare, type Side } from '../figures/comparison';
import { judge, sampleOf } from '../figures/statistics';
import { renewalSide } from '../renewals/renewal-side';
import { RenewalSeed } from '../renewals/seed';
import { demandText } from '../report/report';
import type { Stage, StagedSystem } from '../stage/stage';

const migrated = { quick: 300, usual: 10_000 };
// Some migrations of the quick run would end before the renewals of the same run.
const migratedMeanwhile = { quick: 1_500, usual: 10_000 };
const writesMax = { atMost: 2 };
const slowerMax = 1.2;
const pollMs = 100;
const timeoutMs = 600_000;

type Place = Pick<StagedSystem, 'gatewayUrl' | 'keys' | 'site'>;

/**
 * C3: the documents that a migration of 10,000 subscriptions writes, exact except for polls, by a
 * system in this process with databases of its own.
 */
export async function migrationWrites(stage: Stage, effort: Effort): Promise<FigureTable> {
  const count = effort.isQuick ? migrated.quick : migrated.usual;
  const commands = new CommandCounts();
  const name = 'bench_migration';
  const site = await stage.siteOf(name, { databasePrefix: name, streamName: name.toUpperCase() });
  const system = await commands.of(() => startSystem(site));
  try {
    const keys = await stage.keysOf(system, site.runDir);
    const migration = await Migration.prepare({ gatewayUrl: system.gatewayUrl, keys, site }, count);
    try {
      stage.log(`C3: counting the writes of a migration of ${String(count)} subscriptions`);
      commands.start();
      await migration.start();
      await migration.untilAnnounced();
      commands.stop();
      return tableOf(commands, { count, changes: await migration.changes() });
    } finally {
      await migration.close();
    }
  } finally {
    await system.stop();
  }
}

function tableOf(
  { times, written }: CommandCounts,
  { count, changes }: { readonly count: number; readonly changes: number },
): FigureTable {
  const rows = written.get('mongodb insert priceMigrationRows') ?? 0;
  const each = (documents: number) => documents / count;
  const ofMigration = sampleOf([each(changes + rows)]);
  const verdict = judge({
    ratio: ofMigration,
    floor: sampleOf([1]),
    generatorCpu: 0,
    demand: writesMax,
  });
  const others = [...written]
    .sort(([, a], [, b]) => b - a)
    .map(([what, documents]) => [
      what,
      String(times.get(what) ?? 0),
      String(documents),
      each(documents).toFixed(2),
      ...['', ''],
    ]);
  return {
    title: `C3: writes of a migration of ${String(count)} subscriptions until all is announced`,
    columns: ['what', 'commands', 'documents', 'for each subscription', 'demand', 'verdict'],
    rows: [
      [
        'changes of subscriptions, and rows of the migration',
        '',
        String(changes + rows),
        ofMigration.median.toFixed(2),
        demandText(writesMax),
        verdict,
      ],
      ...others,
    ],
  };
}

/** C4: due renewals during a migration of other subscriptions, against renewals alone. */
export async function duringMigrations(stage: Stage, effort: Effort): Promise<Comparison> {
  const system = await stage.system();
  const seed = await RenewalSeed.open(system);
  try {
    return await compare({
      ...effort,
      id: 'C4',
      title: 'renewals during a price migration : renewals alone',
      unit: 'renewals/s',
      ours: duringSide(system, seed, { stage, effort }),
      floor: renewalSide(system, seed, 'alone'),
      demand: { atLeast: 1 / slowerMax },
      sharedPids: () => stage.sharedPids(),
      log: stage.log,
    });
  } finally {
    await seed.close();
  }
}

function duringSide(
  system: StagedSystem,
  seed: RenewalSeed,
  { stage, effort }: { readonly stage: Stage; readonly effort: Effort },
): Side {
  const renewals = renewalSide(system, seed, 'during');
  const count = effort.isQuick ? migratedMeanwhile.quick : migratedMeanwhile.usual;
  let migration: Migration | undefined;
  return {
    ...renewals,
    prepare: async (seconds) => {
      migration = await Migration.prepare(system, count);
      await renewals.prepare?.(seconds);
    },
    run: async (seconds) => {
      if (migration === undefined) throw new Error('No migration was prepared');
      await migration.start();
      const run = await renewals.run(seconds);
      const processed = await migration.processed();
      stage.log(`C4: ${String(processed)} of ${String(count)} migrated during the renewals`);
      await migration.cancel();
      await migration.close();
      return run;
    },
  };
}

/** Subscriptions of one price, which are not due, and their migration to another. */
class Migration {
  private id = '';

  private constructor(
    private readonly api: ApiClient,
    private readonly seed: RenewalSeed,
    private readonly prices: { readonly fromPriceId: string; readonly toPriceId: string },
  ) {}

  static async prepare(place: Place, count: number): Promise<Migration> {
    const api = new ApiClient(place.gatewayUrl, place.keys.testKey);
    const seed = await RenewalSeed.open(place);
    const subscription = await api.expect(200, api.get(`/subscriptions/${seed.template._id}`));
    const product = {
      ...{ name: 'Monthly', type: 'FLAT', currency: 'USD' },
      ...{ amount: 3900, billingInterval: 'MONTHLY' },
    };
    const { priceId: toPriceId } = await api.expect(201, api.post('/products', product));
    // The template is the first of them.
    await seed.idle(count - 1, () => undefined);
    return new Migration(api, seed, { fromPriceId: subscription.priceId, toPriceId });
  }

  async start(): Promise<void> {
    const { id } = await this.api.expect(201, this.api.post('/price-migrations', this.prices));
    this.id = String(id);
  }

  async processed(): Promise<number> {
    return Number((await this.read()).processed);
  }

  /** Returns once all are migrated, and no outbox has work left. */
  async untilAnnounced(): Promise<void> {
    await this.until(async () => (await this.read()).status === 'COMPLETE');
    await this.untilQuiet();
    const { total, scheduled } = await this.read();
    if (scheduled !== total) throw new Error(`${String(scheduled)} of ${String(total)} scheduled`);
  }

  /** Returns once its worker has taken back what it had scheduled. */
  async cancel(): Promise<void> {
    await this.api.expect(200, this.api.post(`${this.path}/cancel`));
    const { subscriptions } = this.seed;
    const scheduled = { 'changeFields.migrationId': this.id };
    await this.until(async () => (await subscriptions.findOne(scheduled)) === null);
    await this.untilQuiet();
  }

  private async untilQuiet(): Promise<void> {
    const pending = { pendingSince: { $gt: new Date(0) } };
    await this.until(async () => (await this.seed.subscriptions.findOne(pending)) === null);
  }

  private async until(isReached: () => Promise<boolean>): Promise<void> {
    const startedMs = performance.now();
    while (!(await isReached())) {
      if (performance.now() - startedMs > timeoutMs) throw new Error('The migration did not end');
      await sleep(pollMs);
    }
  }

  /** Number of changes of subscriptions; the removal of announced events is none. */
  async changes(): Promise<number> {
    const { subscriptions, template } = this.seed;
    const before = Number(template.version);
    const versions = await subscriptions
      .find({ customer: template.customer })
      .project<{ version: unknown }>({ version: 1 })
      .toArray();
    return versions.reduce((sum, { version }) => sum + Number(version) - before, 0);
  }

  async close(): Promise<void> {
    await this.seed.close();
  }

  private get path(): string {
    return `/price-migrations/${this.id}`;
  }

  private async read() {
    return this.api.expect(200, this.api.get(this.path));
  }
}
