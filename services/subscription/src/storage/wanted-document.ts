import { type DiscountDocument, fromDocumentDiscount } from './discount-document';
import {
  type Count,
  fromDocumentPrice,
  type PriceDocument,
  toDocumentPrice,
} from './item-document';
import type { PriceExchange } from '../subscription/price-exchange';
import type { WantedChange, WantedProduct } from '../subscription/subscription-change';

type WantedProductDocument = Omit<WantedProduct, 'price'> & { readonly price: PriceDocument };

/** Another price version for an item, as stored. */
export type ExchangeDocument = Omit<PriceExchange, 'product'> & {
  readonly product: Omit<PriceExchange['product'], 'price'> & { readonly price: PriceDocument };
};

/** Changes that are asked for, as stored. */
export interface WantedDocument {
  readonly product: WantedProductDocument | null;
  readonly quantity: Count | null;
  /** Absent: they stay. */
  readonly otherItems?: readonly {
    readonly id: string;
    readonly product: WantedProductDocument | null;
    readonly quantity: Count | null;
  }[];
  /** Absent: null; stored by an earlier release. */
  readonly discount?: { readonly next: DiscountDocument | null } | null;
  /** Absent: none. */
  readonly exchange?: ExchangeDocument;
}

/** Converts what a change asks for to its stored form. */
export function toDocumentWanted({
  product,
  quantity,
  otherItems,
  discount,
  exchange,
}: WantedChange): WantedDocument {
  return {
    ...{ product: toDocumentProduct(product), quantity, discount },
    ...(otherItems !== undefined && {
      otherItems: otherItems.map((item) => ({ ...item, product: toDocumentProduct(item.product) })),
    }),
    ...(exchange !== undefined && { exchange: toDocumentExchange(exchange) }),
  };
}

function toDocumentProduct(product: WantedProduct | null): WantedProductDocument | null {
  return product === null ? null : { ...product, price: toDocumentPrice(product.price) };
}

/** Reads what a stored change asks for. */
export function fromDocumentWanted({
  product,
  quantity,
  otherItems,
  discount = null,
  exchange,
}: WantedDocument): WantedChange {
  return {
    ...fromDocumentTerms({ product, quantity }),
    discount: discount === null ? null : { next: fromDocumentDiscount(discount.next) },
    ...(otherItems !== undefined && {
      otherItems: otherItems.map((item) => ({ id: item.id, ...fromDocumentTerms(item) })),
    }),
    ...(exchange !== undefined && { exchange: fromDocumentExchange(exchange) }),
  };
}

function fromDocumentTerms({ product, quantity }: Pick<WantedDocument, 'product' | 'quantity'>) {
  return {
    product: product === null ? null : { ...product, price: fromDocumentPrice(product.price) },
    quantity: quantity === null ? null : Number(quantity),
  };
}

/** Converts another price version for an item to its stored form. */
export function toDocumentExchange({ fromPriceId, product }: PriceExchange): ExchangeDocument {
  return { fromPriceId, product: { ...product, price: toDocumentPrice(product.price) } };
}

/** Reads another price version for an item. */
export function fromDocumentExchange({ fromPriceId, product }: ExchangeDocument): PriceExchange {
  const { productId, productName, price } = product;
  return { fromPriceId, product: { productId, productName, price: fromDocumentPrice(price) } };
}
