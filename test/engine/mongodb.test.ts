import { mkdtempSync, rmSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { prepareMongodContainer } from '@billing/local/containers';
import { MongoClient } from 'mongodb';
import { buildMongoDb } from './base-images';
import { type Engine, startEngine } from './engine';
import { describeWithEngine } from './engine-tests';
import { ServerContainer } from './server-container';

const launchersImage = 'mongo:8.2';

describeWithEngine('the MongoDB of the launcher', () => {
  let folder: string;
  let engine: Engine;
  let mongodb: ServerContainer;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'billing-e-'));
    engine = await startEngine(folder);
    const work = join(folder, 'mongodb');
    await mkdir(work);
    await buildMongoDb(engine, [launchersImage], work);
    mongodb = await ServerContainer.start(prepareMongodContainer, engine, folder);
  });

  afterAll(async () => {
    await engine.stop();
    rmSync(folder, { recursive: true });
  });

  /** What a client with an address counts after it has written one more document. */
  async function countAt(uri: string): Promise<number> {
    const client = await MongoClient.connect(uri);
    try {
      const collection = client.db('billing_catalog').collection('products');
      await collection.insertOne({ name: 'Pro' });
      return await collection.countDocuments();
    } finally {
      await client.close();
    }
  }

  test('clients without the password are refused, and it is on 127.0.0.1 alone', async () => {
    expect(await countAt(mongodb.uri)).toBe(1);
    const another = new URL(mongodb.uri);
    another.password = 'another';
    await expect(countAt(another.href)).rejects.toThrow('Authentication failed');
    another.username = another.password = '';
    await expect(countAt(another.href)).rejects.toThrow('requires authentication');
    expect(engine.network.listening()).toEqual([`127.0.0.1:${String(mongodb.port)}`]);
  });

  test('its documents survive a killed container, in a volume with its name', async () => {
    const mounts = await engine.docker(['inspect', '--format', '{{json .Mounts}}', mongodb.name]);
    expect(JSON.parse(mounts)).toEqual([
      expect.objectContaining({ Type: 'volume', Name: mongodb.name, Destination: '/data/db' }),
    ]);
    expect(await mongodb.killContainer()).toBe(1);
    mongodb = await ServerContainer.start(prepareMongodContainer, engine, folder);
    expect(await countAt(mongodb.uri)).toBe(2);
    expect(await mongodb.end('SIGTERM')).toBe(0);
  });
});
