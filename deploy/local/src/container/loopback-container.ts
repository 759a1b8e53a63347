import { once } from 'node:events';
import { GenericContainer, getContainerRuntimeClient, ImageName, Wait } from 'testcontainers';

/** Settings of one container. */
export interface ContainerSettings {
  /** Name of the container and of the volume with its data. */
  readonly name: string;
  readonly image: string;
  /** Port inside the container. */
  readonly port: number;
  /** Port on 127.0.0.1. */
  readonly hostPort: number;
  readonly dataPath: string;
  readonly variables: Readonly<Record<string, string>>;
  readonly entrypoint?: readonly string[];
  readonly args: readonly string[];
}

const STOP_WITHIN_MS = 20_000;
const NOT_FOUND = 404;

/** Pulls an image if it is missing; rejects if no engine answers or the image is not available. */
export async function loadImage(image: string): Promise<void> {
  const client = await getContainerRuntimeClient();
  await client.image.pull(ImageName.fromString(image));
}

/** Runs a container until SIGTERM, then removes it; rejects if the container ends earlier. */
export async function runContainer(settings: ContainerSettings): Promise<void> {
  const stopAsked = once(process, 'SIGTERM');
  await removeLeftOver(settings.name);
  const container = await containerOf(settings).start();
  const client = await getContainerRuntimeClient();
  const ended = client.container.getById(container.getId()).wait();
  const isAsked = await Promise.race([stopAsked.then(() => true), ended.then(() => false)]);
  if (!isAsked) throw new Error(`The container ${settings.name} ended`);
  await container.stop({ timeout: STOP_WITHIN_MS });
}

/**
 * Publishes a port on loopback only: Docker opens any other address past the machine's firewall.
 */
class LoopbackContainer extends GenericContainer {
  protected override beforeContainerCreated(): Promise<void> {
    const bindings = (this.hostConfig.PortBindings ?? {}) as Record<string, { HostIp?: string }[]>;
    for (const binding of Object.values(bindings).flat()) binding.HostIp = '127.0.0.1';
    return Promise.resolve();
  }
}

function containerOf(settings: ContainerSettings): GenericContainer {
  const { name, image, port, hostPort, dataPath, variables, entrypoint, args } = settings;
  const container = new LoopbackContainer(image)
    .withName(name)
    .withExposedPorts({ container: port, host: hostPort })
    // A name instead of a path: a volume of the engine.
    .withBindMounts([{ source: name, target: dataPath }])
    .withEnvironment(variables)
    .withCommand([...args])
    // The launcher removes the container, or the next launcher after a kill; no helper container
    // does.
    .withAutoCleanup(false)
    .withLogConsumer((stream) => stream.on('data', (line) => process.stdout.write(String(line))))
    // The launcher checks the server itself for readiness.
    .withWaitStrategy(Wait.forAll([]));
  return entrypoint === undefined ? container : container.withEntrypoint([...entrypoint]);
}

async function removeLeftOver(name: string): Promise<void> {
  const client = await getContainerRuntimeClient();
  await client.container
    .getById(name)
    .remove({ force: true, v: true })
    .catch((error: unknown) => {
      if ((error as { statusCode?: number }).statusCode !== NOT_FOUND) throw error;
    });
}
