// A protoc plugin that makes modules like the rest of the generated code, so that every build and every image has them without a file to
// copy: all contracts as one google.protobuf.FileDescriptorSet, from which servers answer gRPC reflection, and the calls that may be
// repeated, which clients go by.
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

const idempotent = protoFile.flatMap(({ package: name, service }) =>
  service.flatMap((one) =>
    one.method
      .filter(
        ({ options }) => options?.idempotencyLevel === MethodOptions_IdempotencyLevel.IDEMPOTENT,
      )
      .map((method) => `/${name}.${one.name}/${method.name}`),
  ),
);
const idempotentCalls = `/** The paths of the calls that may be repeated after an unclear failure. */
export const idempotentCalls: ReadonlySet<string> = new Set([
${idempotent.map((path) => `  '${path}',\n`).join('')}]);
`;

const response = create(CodeGeneratorResponseSchema, {
  supportedFeatures: BigInt(CodeGeneratorResponse_Feature.PROTO3_OPTIONAL),
  file: [
    { name: 'descriptor-set.ts', content: descriptorSet },
    { name: 'idempotent-calls.ts', content: idempotentCalls },
  ],
});
const bytes = toBinary(CodeGeneratorResponseSchema, response);
for (let sent = 0; sent < bytes.length; sent += writeSync(1, bytes, sent));
