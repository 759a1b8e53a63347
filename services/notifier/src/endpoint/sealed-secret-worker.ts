import type { Logger } from '@billing/chassis/logging';
import type { SealedSecrets, SealedSecretStore } from './sealed-secret-store';

export interface SealedSecretWorkerDependencies {
  readonly sealedSecrets: SealedSecretStore;
  readonly logger: Logger;
}

/** Encrypts the secrets of endpoints with the newest key, so that older keys can be removed. */
export class SealedSecretWorker {
  constructor(private readonly dependencies: SealedSecretWorkerDependencies) {}

  /** Visits every endpoint with a secret under an older key once, until the signal aborts. */
  async run(signal: AbortSignal): Promise<void> {
    const { sealedSecrets, logger } = this.dependencies;
    let endpoints = 0;
    for (let after: string | undefined = ''; after !== undefined && !signal.aborted;) {
      const outdated = await sealedSecrets.findOutdated(after);
      for (const endpoint of outdated) if (await this.reseal(endpoint)) endpoints += 1;
      after = outdated.at(-1)?._id;
    }
    if (endpoints > 0) logger.info({ endpoints }, 'webhook secrets sealed with the newest key');
  }

  /** Returns false for a damaged secret, which does not prevent the encryption of the others. */
  private async reseal(endpoint: SealedSecrets): Promise<boolean> {
    const { sealedSecrets, logger } = this.dependencies;
    try {
      await sealedSecrets.reseal(endpoint);
      return true;
    } catch (error) {
      logger.error({ err: error, endpointId: endpoint._id }, 'resealing webhook secret failed');
      return false;
    }
  }
}
