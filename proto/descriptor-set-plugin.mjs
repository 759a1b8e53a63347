// Protoc plugin that generates three modules, so that every build and image contains them without
// copied files:
// - descriptor-set: all contracts as a google.protobuf.FileDescriptorSet, for gRPC reflection
// - idempotent-calls: calls that clients may retry
// - reading-calls: calls that servers answer while nothing can be stored
import { readFileSync, writeSync } from 'node:fs';
import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import {
  CodeGeneratorRequestSchema,
  CodeGeneratorResponse_Feature,
  CodeGeneratorResponseSchema,
  FileDescriptorSetSchema,
  MethodOptions_IdempotencyLevel,
} from '@bufbuild/protobuf/wkt';

const { protoFile } = fromBinary(CodeGeneratorRequestSchema, readFileSync(0));
// Comments would be four fifths of the set.
const file = protoFile.map((descriptor) => ({ ...descriptor, sourceCodeInfo: undefined }));
const set = toBinary(FileDescriptorSetSchema, create(FileDescriptorSetSchema, { file }));
const descriptorSet = `/** All contracts as a google.protobuf.FileDescriptorSet, in base64. */
export const descriptorSet =
  '${Buffer.from(set).toString('base64')}';
`;

const { IDEMPOTENT, NO_SIDE_EFFECTS } = MethodOptions_IdempotencyLevel;

function pathsOf(levels) {
  const paths = protoFile.flatMap(({ package: name, service }) =>
    service.flatMap((one) =>
      one.method
        .filter(({ options }) => levels.includes(options?.idempotencyLevel))
        .map((method) => `/${name}.${one.name}/${method.name}`),
    ),
  );
  return paths.map((path) => `  '${path}',\n`).join('');
}

const idempotentCalls = `/** Paths of the calls that may be retried after a failure with an unknown outcome. */
export const idempotentCalls: ReadonlySet<string> = new Set([
${pathsOf([IDEMPOTENT, NO_SIDE_EFFECTS])}]);
`;

const readingCalls = `/** Paths of the calls that only read. */
export const readingCalls: ReadonlySet<string> = new Set([
${pathsOf([NO_SIDE_EFFECTS])}]);
`;

const response = create(CodeGeneratorResponseSchema, {
  supportedFeatures: BigInt(CodeGeneratorResponse_Feature.PROTO3_OPTIONAL),
  file: [
    { name: 'descriptor-set.ts', content: descriptorSet },
    { name: 'idempotent-calls.ts', content: idempotentCalls },
    { name: 'reading-calls.ts', content: readingCalls },
  ],
});
const bytes = toBinary(CodeGeneratorResponseSchema, response);
for (let sent = 0; sent < bytes.length; sent += writeSync(1, bytes, sent));
