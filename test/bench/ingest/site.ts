import { MongoClient } from 'mongodb';
import { createResource } from '../stage/api';
import { runOf, type Side } from '../figures/comparison';
import type { BatchShape } from '../stage/event-batches';
import { anyDocumentOf, documentsOf, resetWithIndexesOf } from '../stage/floor-data';
import type { Stage, StagedSystem } from '../stage/stage';
import { TimedGenerator, type TimedJob } from '../stage/timed-generator';
import { runJob } from '../stage/program';

const customerCount = 100;
const meterCount = 4;
const floorDatabase = 'bench_floor';
const events = 'usageEvents';

/** How batches are sent to find the maximum throughput. */
export interface IngestPace {
  readonly size: number;
  readonly inFlight: number;
  /** Adds repeated events and unknown customers; see `BatchShape`. */
  readonly isDirty?: boolean;
}

/** Setup of the ingest benchmarks: customers, meters and load of the system, and its floors. */
export class IngestSite {
  private constructor(
    private readonly stage: Stage,
    readonly system: StagedSystem,
    readonly generator: TimedGenerator,
    private readonly targets: Pick<BatchShape, 'customerIds' | 'meterIds'>,
  ) {}

  static async open(stage: Stage): Promise<IngestSite> {
    const system = await stage.system();
    const generator = await TimedGenerator.start(stage);
    const customerIds = await createMany(customerCount, (number) =>
      createResource(system, '/customers', { email: `user-${String(number)}@example.com` }),
    );
    const meterIds = await createMany(meterCount, (number) =>
      createResource(system, '/meters', { name: `Meter ${String(number)}` }),
    );
    return new IngestSite(stage, system, generator, { customerIds, meterIds });
  }

  /** Any one of its customers. */
  get customerId(): string {
    return this.targets.customerIds[0] ?? '';
  }

  /** A job for the generator without its duration and pace. */
  jobOf({ size, isDirty = false }: Omit<IngestPace, 'inFlight'>, url = this.system.gatewayUrl) {
    const headers = { Authorization: `Bearer ${this.system.keys.testKey}` };
    const work = { kind: 'ingest', shape: { ...this.targets, size, isDirty } } as const;
    return { url, headers, work } satisfies Partial<TimedJob>;
  }

  /** The system under as many batches as it accepts. */
  side(pace: IngestPace, name = 'billing'): Side {
    return this.loadedSide(pace, { name, url: this.system.gatewayUrl, pids: this.system.pids });
  }

  /** Floor: the driver's inserts alone, in one process. */
  async insertsSide(): Promise<(pace: IngestPace) => Side> {
    const { infrastructure } = this.stage;
    await this.prepareFloor();
    const child = await this.stage.program('floors/ingest-inserts', {
      MONGODB_URI: infrastructure.mongodbUri,
    });
    return ({ size, inFlight }) => ({
      name: 'driver',
      pids: () => ({ 'floor loop': child.pid ?? 0 }),
      run: async (seconds) => {
        const { operations, seconds: taken } = await runJob<{
          operations: number;
          seconds: number;
        }>(child, { database: floorDatabase, seconds, inFlight, size, ...this.targets });
        return runOf(operations, taken);
      },
    });
  }

  /** Floor: Express, one gRPC hop and the same inserts. */
  async hopSide(): Promise<(pace: IngestPace) => Side> {
    const template = await this.prepareFloor();
    const address = this.stage.socket('ingest-floor');
    const port = String(await this.stage.freePort());
    const service = await this.stage.program('floors/ingest-service', {
      MONGODB_URI: this.stage.infrastructure.mongodbUri,
      MONGODB_DATABASE: floorDatabase,
      ENVIRONMENT: String(template.environmentId),
      GRPC_LISTEN: address,
    });
    const gateway = await this.stage.program('floors/ingest-gateway', {
      GRPC_ADDRESS: address,
      HTTP_PORT: port,
    });
    const pids = () => ({ 'floor gateway': gateway.pid ?? 0, 'floor service': service.pid ?? 0 });
    return (pace) => this.loadedSide(pace, { name: 'hop', url: `http://127.0.0.1:${port}`, pids });
  }

  private loadedSide(
    { inFlight, ...pace }: IngestPace,
    { name, url, pids }: Pick<Side, 'name' | 'pids'> & { url: string },
  ): Side {
    const job = this.jobOf(pace, url);
    return {
      name,
      pids,
      run: async (seconds) => {
        const result = await this.generator.run({
          ...job,
          seconds,
          pace: { kind: 'closed', inFlight },
        });
        const { events: operations, seconds: elapsed, latencyMs, cpuShare } = result;
        return {
          operations,
          perSecond: operations / elapsed,
          latencyMs: { ...latencyMs },
          generatorCpu: cpuShare,
        };
      },
    };
  }

  /** Creates the floors' collection with the system's indexes and a copy of one of its events. */
  private async prepareFloor() {
    const { site } = this.system;
    // Stores a batch; one of its events is copied.
    await this.generator.run({
      ...this.jobOf({ size: 1 }),
      seconds: 0.01,
      pace: { kind: 'closed', inFlight: 1 },
    });
    const client = new MongoClient(site.mongodbUri, { promoteLongs: false });
    await client.connect();
    const own = documentsOf(client, `${site.databasePrefix}_metering`, events);
    const floor = documentsOf(client, floorDatabase, events);
    const template = await anyDocumentOf(own);
    await resetWithIndexesOf(own, floor);
    await floor.insertOne(template);
    await client.close();
    return template;
  }
}

async function createMany(
  count: number,
  create: (number: number) => Promise<{ id: string }>,
): Promise<string[]> {
  const ids: string[] = [];
  for (let number = 1; number <= count; number += 1) ids.push((await create(number)).id);
  return ids;
}
