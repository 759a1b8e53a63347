import { once } from 'node:events';
import { GenericContainer, getContainerRuntimeClient, ImageName, Wait } from 'testcontainers';

/** What one container is made of. */
export interface ContainerSettings {
  /** Of the container and of the volume that keeps its data. */
  readonly name: string;
  readonly image: string;
  /** Inside the container. */
  readonly port: number;
  /** On 127.0.0.1. */
  readonly hostPort: number;
  readonly dataPath: string;
  readonly variables: Readonly<Record<string, string>>;
  readonly entrypoint?: readonly string[];
  readonly args: readonly string[];
}

const STOP_WITHIN_MS = 20_000;
const NOT_FOUND = 404;

/** Fails where no engine answers, or where it has no such image and cannot get it. */
export async function loadImage(image: string): Promise<void> {
  const client = await getContainerRuntimeClient();
  await client.image.pull(ImageName.fromString(image));
}

/** Ends when SIGTERM came and the container is removed; fails when the container ends before that. */
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

/** Published on this machine's own address alone: Docker opens any other past the machine's firewall. */
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
    // A name in place of a path: a volume of the engine.
    .withBindMounts([{ source: name, target: dataPath }])
    .withEnvironment(variables)
    .withCommand([...args])
    // The launcher removes it, and the next one what a killed launcher left; no second container watches over it.
    .withAutoCleanup(false)
    .withLogConsumer((stream) => stream.on('data', (line) => process.stdout.write(String(line))))
    // The launcher asks the server itself whether it is ready.
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
