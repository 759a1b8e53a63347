import type {
  handleBidiStreamingCall,
  MethodDefinition,
  Server,
  ServiceDefinition,
} from '@grpc/grpc-js';
import { loadFileDescriptorSetFromBuffer, type PackageDefinition } from '@grpc/proto-loader';
import { ReflectionService } from '@grpc/reflection';
import { descriptorSet } from '@billing/proto/descriptor-set';
import type { RpcService } from './rpc';

const versions = ['grpc.reflection.v1', 'grpc.reflection.v1alpha'];

/** One version of the reflection protocol, as the library would serve it. */
interface Version {
  readonly method: MethodDefinition<unknown, unknown>;
  readonly answer: handleBidiStreamingCall<unknown, unknown>;
}

// Shared by all services of a process.
let contracts: PackageDefinition | undefined;

/**
 * The contracts of all services. Each definition of a package holds the descriptors of all files,
 * and the reflection library decodes those of every definition: with more than one, the first
 * question blocks the process for many seconds.
 */
function loadContracts(): PackageDefinition {
  const all = loadFileDescriptorSetFromBuffer(Buffer.from(descriptorSet, 'base64'));
  return Object.fromEntries(Object.entries(all).slice(0, 1));
}

/**
 * Adds gRPC reflection for tools such as grpcurl. The contracts are loaded on the first request:
 * that takes longer than the rest of a server's start, and most servers never get one.
 */
export function addReflection(server: Server, services: readonly RpcService[]): void {
  const names = services.flatMap(({ definition }) => nameOf(definition));
  let read: Map<string, Version> | undefined;
  for (const version of versions) {
    const path = `/${version}.ServerReflection/ServerReflectionInfo`;
    const real = (): Version => {
      read ??= readVersions(names);
      const found = read.get(path);
      if (found === undefined) throw new Error(`The reflection library lacks ${path}`);
      return found;
    };
    const method: MethodDefinition<unknown, unknown> = {
      path,
      requestStream: true,
      responseStream: true,
      requestSerialize: (value) => real().method.requestSerialize(value),
      requestDeserialize: (bytes) => real().method.requestDeserialize(bytes),
      responseSerialize: (value) => real().method.responseSerialize(value),
      responseDeserialize: (bytes) => real().method.responseDeserialize(bytes),
    };
    const answer: Version['answer'] = (stream) => {
      real().answer(stream);
    };
    server.addService({ ServerReflectionInfo: method }, { ServerReflectionInfo: answer });
  }
}

function readVersions(services: string[]): Map<string, Version> {
  contracts ??= loadContracts();
  const read = new Map<string, Version>();
  const addService = (
    { ServerReflectionInfo: method }: ServiceDefinition,
    { ServerReflectionInfo: answer }: Record<string, unknown>,
  ): void => {
    if (method !== undefined)
      read.set(method.path, { method, answer: answer as Version['answer'] });
  };
  // The library only adds its services to the server.
  new ReflectionService(contracts, { services }).addToServer({ addService });
  return read;
}

function nameOf(definition: ServiceDefinition): string[] {
  const [method] = Object.values(definition);
  const name = method?.path.split('/')[1];
  return name === undefined ? [] : [name];
}
