// A protoc plugin that makes modules like the rest of the generated code, so that every build and every image has them without a file to
// copy: all contracts as one google.protobuf.FileDescriptorSet, from which servers answer gRPC reflection, the calls that clients may
// repeat, and the calls that servers answer while nothing can be stored.
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
// Comments would be four fifths of it.
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

const idempotentCalls = `/** The paths of the calls that may be repeated after an unclear failure. */
export const idempotentCalls: ReadonlySet<string> = new Set([
${pathsOf([IDEMPOTENT, NO_SIDE_EFFECTS])}]);
`;

const readingCalls = `/** The paths of the calls by which a caller asks for no change. */
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
