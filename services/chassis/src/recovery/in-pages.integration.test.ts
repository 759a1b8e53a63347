import { connectMongo, type MongoConnection } from '../mongo/mongo';
import { dropTestDatabase, testServiceConfiguration } from '../testing/testing';
import { inPages } from './visit-all';

interface Note {
  readonly _id: string;
  readonly isWanted: boolean;
}

const configuration = testServiceConfiguration('pages');
let mongo: MongoConnection;

beforeAll(async () => {
  const { MONGODB_URI: uri, MONGODB_DATABASE: database } = configuration;
  mongo = await connectMongo({ uri, database, service: 'test' });
});

afterAll(async () => {
  await mongo.close();
  await dropTestDatabase(configuration);
});

// A page has 500 documents.
test.each([0, 1, 499, 500, 501, 1_000, 1_001])(
  '%i documents that match are yielded once each, by id, and no others',
  async (count) => {
    const notes = mongo.db.collection<Note>(`notes${String(count)}`);
    const idOf = (index: number) => String(index).padStart(5, '0');
    const all = Array.from({ length: 2 * count }, (_, index) => ({
      _id: idOf(index),
      isWanted: index % 2 === 0,
    }));
    if (all.length > 0) await notes.insertMany(all.toReversed());
    const found: string[] = [];
    for await (const { _id } of inPages(notes, { isWanted: true })) {
      found.push(_id);
      // A visit may end the match.
      if (found.length % 100 === 0) await notes.updateOne({ _id }, { $set: { isWanted: false } });
    }
    expect(found).toEqual(all.filter(({ isWanted }) => isWanted).map(({ _id }) => _id));
  },
);
