import { dropTestDatabase, testServiceConfiguration } from '../testing/testing';
import { findMatching } from './matching-queries';
import { connectMongo, type MongoConnection } from './mongo';

const configuration = testServiceConfiguration('matching-queries');

describe('queries that match a document', () => {
  let mongo: MongoConnection;

  beforeAll(async () => {
    const { MONGODB_URI: uri, MONGODB_DATABASE: database } = configuration;
    mongo = await connectMongo({ uri, database, service: 'test' });
    await mongo.db.collection('boxes').insertMany([{ size: 1 }, { size: 2 }, { size: 2 }]);
    await mongo.db.collection('bags').insertOne({ size: 3 });
  });

  afterAll(async () => {
    await mongo.close();
    await dropTestDatabase(configuration);
  });

  const boxes = (size: number) => ({ collection: 'boxes', filter: { size } });
  const bags = (size: number) => ({ collection: 'bags', filter: { size: { $gte: size } } });
  const missing = { collection: 'missing', filter: {} };
  const failing = { collection: 'bags', filter: { $unknown: 1 } };

  test.each([
    ['none of none', [], []],
    ['only the first', [boxes(1), bags(4)], [0]],
    ['only the last', [boxes(3), bags(3)], [1]],
    ['two of one collection', [boxes(2), bags(4), boxes(1)], [0, 2]],
    ['several documents once', [boxes(2), boxes(2)], [0, 1]],
    ['a collection that does not exist', [missing, bags(1)], [1]],
    ['nothing', [boxes(3), missing], []],
    ['one that fails among others', [boxes(1), failing, bags(4), bags(1)], [0, 1, 3]],
    ['only one that fails', [failing], [0]],
  ])('%s', async (_name, named, expected) => {
    const queries = named.map(({ collection, filter }, index) => {
      return { index, documents: mongo.db.collection(collection), filter };
    });
    const found = await findMatching(queries);
    expect(found.map(({ index }) => index)).toEqual(expected);
  });
});
