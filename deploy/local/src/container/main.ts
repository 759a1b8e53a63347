import { readFile } from 'node:fs/promises';
import { type ContainerSettings, loadImage, runContainer } from './loopback-container';

/**
 * Entry point of the container process. `image NAME` pulls an image if it is missing. `run FILE`
 * runs the container that a private file describes (ContainerSettings) until SIGTERM, then removes
 * it. It is a separate process, so that the launcher supervises it like any other server.
 */
async function main([action, operand = '']: readonly string[]): Promise<void> {
  if (action === 'image') await loadImage(operand);
  else await runContainer(JSON.parse(await readFile(operand, 'utf8')) as ContainerSettings);
}

main(process.argv.slice(2)).then(
  () => {
    process.exit(0);
  },
  (error: unknown) => {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    process.exit(1);
  },
);
