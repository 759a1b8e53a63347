import { Client } from '@grpc/grpc-js';
import { service as healthService } from 'grpc-health-check';
import { channelCredentials } from '../grpc/transport-credentials';
import type { TransportSecurity } from '../grpc/transport-security';

/** Asks a service if it serves; false also if it does not answer within `timeoutMs`. */
export function isServing(
  address: string,
  { deadline, security }: { deadline: Date; security?: TransportSecurity | undefined },
): Promise<boolean> {
  const client = new Client(address, channelCredentials(security));
  const check = healthService.Check;
  if (check === undefined) throw new Error('The health service has no Check');
  return new Promise<boolean>((resolve) => {
    client.makeUnaryRequest(
      check.path,
      check.requestSerialize as (request: object) => Buffer,
      check.responseDeserialize as (bytes: Buffer) => { status?: string | number },
      { service: '' },
      { deadline },
      (error, response) => {
        resolve(error === null && (response?.status === 'SERVING' || response?.status === 1));
      },
    );
  }).finally(() => {
    client.close();
  });
}
