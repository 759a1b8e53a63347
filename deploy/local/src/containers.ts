import { mkdir } from 'node:fs/promises';

export interface StartedContainer {
  uri: string;
  stop: () => Promise<void>;
}

interface ContainerOptions {
  dataDir: string;
}

const MONGODB_IMAGE = 'mongo:8.2';
const NATS_IMAGE = 'nats:2.12-alpine';
const MONGODB_PORT = 27017;
const NATS_PORT = 4222;

/** Data in a folder of ours, so that it outlives the container. Fails at once where no Docker engine answers. */
export async function startMongodContainer({
  dataDir,
}: ContainerOptions): Promise<StartedContainer> {
  const { GenericContainer, Wait } = await import('testcontainers');
  await mkdir(dataDir, { recursive: true });
  const container = await new GenericContainer(MONGODB_IMAGE)
    .withExposedPorts(MONGODB_PORT)
    .withBindMounts([{ source: dataDir, target: '/data/db' }])
    .withWaitStrategy(Wait.forLogMessage(/waiting for connections/i))
    .start();
  const address = `${container.getHost()}:${String(container.getMappedPort(MONGODB_PORT))}`;
  return {
    uri: `mongodb://${address}/?retryWrites=false&directConnection=true`,
    stop: async () => {
      await container.stop();
    },
  };
}

export async function startNatsContainer({ dataDir }: ContainerOptions): Promise<StartedContainer> {
  const { GenericContainer, Wait } = await import('testcontainers');
  await mkdir(dataDir, { recursive: true });
  const container = await new GenericContainer(NATS_IMAGE)
    .withExposedPorts(NATS_PORT)
    .withBindMounts([{ source: dataDir, target: '/data' }])
    .withCommand(['--jetstream', '--store_dir', '/data'])
    .withWaitStrategy(Wait.forLogMessage(/Server is ready/))
    .start();
  return {
    uri: `nats://${container.getHost()}:${String(container.getMappedPort(NATS_PORT))}`,
    stop: async () => {
      await container.stop();
    },
  };
}
