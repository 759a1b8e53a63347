const brands: Readonly<Record<string, string>> = {
  amex: 'American Express',
  jcb: 'JCB',
  unionpay: 'UnionPay',
};

/** A card in mails: `Visa ···· 4242`. */
export function cardText(brand: string, last4: string): string {
  const name = brands[brand] ?? `${brand.charAt(0).toUpperCase()}${brand.slice(1)}`;
  return `${name} ···· ${last4}`;
}
