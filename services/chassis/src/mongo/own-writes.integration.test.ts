import { MongoServerError } from 'mongodb';
import { dropTestDatabase, testServiceConfiguration } from '../testing/testing';
import { connectMongo, type MongoConnection } from './mongo';
import { ownWritesTo } from './own-writes';

interface Stored {
  readonly _id: string;
  readonly n: number;
}

const configuration = testServiceConfiguration('own-writes');
let mongo: MongoConnection;

beforeAll(async () => {
  const { MONGODB_URI: uri, MONGODB_DATABASE: database } = configuration;
  mongo = await connectMongo({ uri, database, service: 'test' });
});

afterAll(async () => {
  await mongo.close();
  await dropTestDatabase(configuration);
});

test('every kind of write is counted for its collection, through any object that sends it', async () => {
  const jobs = mongo.db.collection<Stored>('jobs');
  const others = mongo.db.collection<Stored>('others');
  const sameJobs = mongo.db.collection<Stored>('jobs');
  const filter = { _id: 'a' };
  const writes = [
    () => jobs.insertOne({ _id: 'a', n: 0 }),
    () => jobs.insertMany([{ _id: 'b', n: 0 }]),
    () => jobs.updateOne(filter, { $set: { n: 1 } }),
    () => jobs.updateMany(filter, { $set: { n: 2 } }),
    () => jobs.replaceOne(filter, { n: 3 }),
    () => jobs.findOneAndUpdate(filter, { $set: { n: 4 } }),
    () => jobs.findOneAndReplace(filter, { n: 5 }),
    () => jobs.bulkWrite([{ updateOne: { filter, update: { $set: { n: 6 } } } }]),
    () => jobs.findOneAndDelete(filter),
    () => jobs.deleteOne(filter),
    () => jobs.deleteMany({}),
  ];
  for (const [index, write] of writes.entries()) {
    const writing = write();
    expect(ownWritesTo(sameJobs)).toEqual({ begun: index + 1, inFlight: 1 });
    await writing;
    expect(ownWritesTo(sameJobs)).toEqual({ begun: index + 1, inFlight: 0 });
  }
  expect(ownWritesTo(others)).toEqual({ begun: 0, inFlight: 0 });
});

test('a write that fails has ended, and reads are not counted', async () => {
  const jobs = mongo.db.collection<Stored>('failing');
  await jobs.insertOne({ _id: 'a', n: 0 });
  await expect(jobs.insertOne({ _id: 'a', n: 0 })).rejects.toThrow(MongoServerError);
  await jobs.find({}).toArray();
  await jobs.findOne({});
  await jobs.countDocuments();
  expect(ownWritesTo(jobs)).toEqual({ begun: 2, inFlight: 0 });
});
