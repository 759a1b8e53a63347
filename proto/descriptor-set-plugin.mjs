// A protoc plugin: all contracts as one google.protobuf.FileDescriptorSet, in a module like the rest of the generated code, so that
// every build and every image has it without a file to copy. Servers answer gRPC reflection from it.
import { readFileSync, writeSync } from 'node:fs';
import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import {
  CodeGeneratorRequestSchema,
  CodeGeneratorResponse_Feature,
  CodeGeneratorResponseSchema,
  FileDescriptorSetSchema,
} from '@bufbuild/protobuf/wkt';

const { protoFile } = fromBinary(CodeGeneratorRequestSchema, readFileSync(0));
// Comments would be four fifths of it.
const file = protoFile.map((descriptor) => ({ ...descriptor, sourceCodeInfo: undefined }));
const set = toBinary(FileDescriptorSetSchema, create(FileDescriptorSetSchema, { file }));
const content = `/** All contracts as a google.protobuf.FileDescriptorSet, in base64. */
export const descriptorSet =
  '${Buffer.from(set).toString('base64')}';
`;

const response = create(CodeGeneratorResponseSchema, {
  supportedFeatures: BigInt(CodeGeneratorResponse_Feature.PROTO3_OPTIONAL),
  file: [{ name: 'descriptor-set.ts', content }],
});
const bytes = toBinary(CodeGeneratorResponseSchema, response);
for (let sent = 0; sent < bytes.length; sent += writeSync(1, bytes, sent));
