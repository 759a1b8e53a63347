const fileName = 'factur-x.xml';
const namespace = 'urn:factur-x:pdfa:CrossIndustryDocument:invoice:1p0#';
const pdfa = 'http://www.aiim.org/pdfa/ns';

/** Properties that Factur-X defines, with their values and descriptions. */
const properties: readonly (readonly [string, string, string])[] = [
  ['DocumentFileName', fileName, 'Name of the embedded XML file'],
  ['DocumentType', 'INVOICE', 'Type of the document'],
  ['Version', '1.0', 'Version of Factur-X'],
  ['ConformanceLevel', 'EN 16931', 'Profile of the XML data'],
];

/** Attaches the XML of an invoice or credit note to its PDF, as Factur-X demands. */
export function attachFacturX(
  document: PDFKit.PDFDocument,
  { xml, date }: { readonly xml: string; readonly date: Date },
): void {
  const archive = document as unknown as Archive;
  archive.file(Buffer.from(xml), {
    name: fileName,
    type: 'text/xml',
    description: 'Invoice by EN 16931',
    relationship: 'Alternative',
    // The current time would change the bytes.
    creationDate: date,
    modifiedDate: date,
  });
  archive.appendXML(metadata());
}

/** True for a JPEG image in CMYK, which has four components. */
export function isCmyk(image: Buffer): boolean {
  if (image.readUInt16BE(0) !== 0xffd8) return false;
  let at = 2;
  while (at + 9 < image.length && image[at] === 0xff) {
    const marker = image.readUInt8(at + 1);
    const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
    if (isFrame) return image[at + 9] === 4;
    at += 2 + image.readUInt16BE(at + 2);
  }
  return false;
}

/** Parts of the library that its types lack. */
interface Archive {
  /** Embeds a file. `relationship` says that it has the content of the PDF in another form. */
  file(
    bytes: Buffer,
    options: PDFKit.Mixins.PDFAttachmentOptions & { readonly relationship: 'Alternative' },
  ): void;
  /** Adds to the XMP metadata. */
  appendXML(xml: string): void;
}

// PDF/A requires that metadata beyond its own is described by a schema.
function metadata(): string {
  const described = properties.map(
    ([name, , description]) => `<rdf:li rdf:parseType="Resource">
      <pdfaProperty:name>${name}</pdfaProperty:name>
      <pdfaProperty:valueType>Text</pdfaProperty:valueType>
      <pdfaProperty:category>external</pdfaProperty:category>
      <pdfaProperty:description>${description}</pdfaProperty:description>
    </rdf:li>`,
  );
  const values = properties.map(([name, value]) => `<fx:${name}>${value}</fx:${name}>`);
  return `<rdf:Description rdf:about="" xmlns:pdfaExtension="${pdfa}/extension/"
      xmlns:pdfaSchema="${pdfa}/schema#" xmlns:pdfaProperty="${pdfa}/property#">
    <pdfaExtension:schemas><rdf:Bag><rdf:li rdf:parseType="Resource">
      <pdfaSchema:schema>Factur-X PDFA Extension Schema</pdfaSchema:schema>
      <pdfaSchema:namespaceURI>${namespace}</pdfaSchema:namespaceURI>
      <pdfaSchema:prefix>fx</pdfaSchema:prefix>
      <pdfaSchema:property><rdf:Seq>${described.join('')}</rdf:Seq></pdfaSchema:property>
    </rdf:li></rdf:Bag></pdfaExtension:schemas>
  </rdf:Description>
  <rdf:Description rdf:about="" xmlns:fx="${namespace}">${values.join('')}</rdf:Description>`;
}
