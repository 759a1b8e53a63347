const brands: Readonly<Record<string, string>> = {
  amex: 'American Express',
  jcb: 'JCB',
  unionpay: 'UnionPay',
};

/** Name of a card's brand: `Visa` for `visa`. */
export function brandName(brand: string): string {
  return brands[brand] ?? `${brand.charAt(0).toUpperCase()}${brand.slice(1)}`;
}

/** A card in mails: `Visa ···· 4242`. */
export function cardText(brand: string, last4: string): string {
  return `${brandName(brand)} ···· ${last4}`;
}
