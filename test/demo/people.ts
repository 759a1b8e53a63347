import type { Random } from './random';

/** A billed customer. */
export interface Person {
  /** `externalId` of the customer. */
  readonly ref: string;
  readonly name: string;
  readonly company: string;
  readonly email: string;
  readonly currency: Currency;
  readonly address: {
    readonly line1: string;
    readonly city: string;
    readonly postalCode: string;
    readonly country: string;
  };
}

export type Currency = 'USD' | 'EUR';

const givenNames =
  words(`Ada Alan Amara Anton Astrid Bea Carlos Chidi Clara Dana Darius Edith Elena Emil Farah Felix Freya Gita Grace
  Hana Hugo Imran Ines Ivo Jana Jonas June Kai Katya Lars Leila Linus Lucia Mabel Malik Marta Mei Milan Nadia Nils Noor Olga Omar Otto
  Pia Priya Quinn Rafael Rosa Samir Selma Sofia Tariq Thea Tomas Uma Vera Viktor Wanda Yara Yusuf Zoe`);
const familyNames =
  words(`Abara Alvarez Bauer Becker Bianchi Bergström Castillo Chen Costa Dahl Dubois Eriksen Farouk Fischer Fontaine
  Garcia Greene Haddad Hansen Hoffmann Ibrahim Ito Jansen Kaya Kowalski Larsen Lehmann Lindqvist Lopez Mensah Moreau Müller Nakamura
  Novak Nowak Okafor Olsen Osei Patel Petrov Quist Rahman Reyes Romano Rossi Sato Schneider Silva Singh Sørensen Tanaka Torres Vargas
  Virtanen Wagner Weber Wójcik Yamamoto Young Zhang`);
const companyNames =
  words(`Acorn Aurora Basalt Beacon Birch Bluebird Brightwater Cedar Cinder Clover Cobalt Copper Coral Crescent Delta
  Driftwood Ember Fable Fathom Fern Fjord Foxglove Garnet Granite Harbor Hazel Heron Hollow Indigo Ivory Jasper Juniper Kestrel Lantern
  Lark Linden Lumen Maple Marble Meadow Meridian Mosaic Nimbus North Oak Onyx Opal Orchard Otter Pebble Pine Quartz Quill Raven Reef
  Ridge River Saffron Sage Signal Slate Spruce Stellar Summit Tern Thistle Tidal Timber Umbra Verdant Willow Wren`);
const trades = words(
  'Analytics Books Cloud Design Energy Foods Health Labs Logistics Media Robotics Studio',
);
const streets = words('Canal Chestnut Church Garden High King Lake Market Mill Park Station Water');

const placesOf: Readonly<Record<Currency, readonly (readonly [string, string, string])[]>> = {
  USD: [
    ['Portland', '97205', 'US'],
    ['Austin', '78701', 'US'],
    ['Boston', '02108', 'US'],
    ['Denver', '80202', 'US'],
    ['Chicago', '60601', 'US'],
    ['Toronto', 'M5H 2N2', 'CA'],
    ['Singapore', '048616', 'SG'],
  ],
  EUR: [
    ['Berlin', '10115', 'DE'],
    ['Hamburg', '20095', 'DE'],
    ['Lyon', '69001', 'FR'],
    ['Utrecht', '3511', 'NL'],
    ['Porto', '4000-008', 'PT'],
    ['Helsinki', '00100', 'FI'],
  ],
};

/** As many people as companies, one per company, so that each email address is unique. */
export function people(random: Random): (currency: Currency) => Person {
  const companies = random.shuffled(
    trades.flatMap((trade) => companyNames.map((name) => `${name} ${trade}`)),
  );
  let count = 0;
  return (currency) => {
    const company = companies[count];
    if (company === undefined) throw new Error(`There are only ${String(count)} companies`);
    count += 1;
    const names = [random.pick(givenNames), random.pick(familyNames)] as const;
    const [city, postalCode, country] = random.pick(placesOf[currency]);
    const line1 = `${String(random.whole(1, 250))} ${random.pick(streets)} Street`;
    return {
      ref: `demo-${String(count).padStart(4, '0')}`,
      name: names.join(' '),
      company,
      email: `${names.map(toAscii).join('.')}@${toAscii(company)}.example`,
      currency,
      address: { line1, city, postalCode, country },
    };
  };
}

/** The maximum number of people. */
export const peopleMax = trades.length * companyNames.length;

function toAscii(text: string): string {
  const plain = text.toLowerCase().replace('ø', 'o').normalize('NFD');
  return plain.replace(/[^a-z]/g, '');
}

function words(text: string): readonly string[] {
  return text.split(/\s+/);
}
