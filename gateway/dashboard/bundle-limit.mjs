import { gzipSync } from 'node:zlib';

/**
 * Fails the build if a first page load is too large: the gzipped size of all files that the
 * browser loads for a page before the user does anything. The largest page counts.
 *
 * Files of dynamic imports count, except other pages (modules whose path matches `page`) and the
 * modules of `loadedOnUse`, which wait for an action of the user.
 */
export function bundleLimit({ firstLoadBytesMax, page, loadedOnUse }) {
  return {
    name: 'bundle-limit',
    // After Vite has added the names of the files that each page needs.
    generateBundle: {
      order: 'post',
      handler(_options, bundle) {
        const isPage = ({ facadeModuleId }) => page.test(facadeModuleId ?? '');
        const isOnUse = (module) => (chunk) => chunk.facadeModuleId?.endsWith(module);
        const chunks = Object.values(bundle).filter(({ type }) => type === 'chunk');
        const pages = chunks.filter(isPage);
        const unknown = loadedOnUse.filter((module) => !chunks.some(isOnUse(module)));
        if (unknown.length > 0) this.error(`No file begins with ${unknown.join(', ')}`);
        const waits = (chunk) => isPage(chunk) || loadedOnUse.some((one) => isOnUse(one)(chunk));
        const main = chunks.find(({ isEntry }) => isEntry);
        const loads = pages.map((one) => {
          const files = filesOf([main, one], { bundle, waits });
          const bytes = [...files].reduce((sum, file) => sum + gzippedBytes(bundle[file]), 0);
          return { name: one.name, bytes };
        });
        const [largest] = loads.sort((one, other) => other.bytes - one.bytes);
        const message = `${(largest.bytes / 1000).toFixed(1)} kB gzipped at first load (${largest.name})`;
        if (largest.bytes > firstLoadBytesMax) {
          this.error(`${message}: the limit is ${firstLoadBytesMax / 1000} kB`);
        }
        this.info(message);
      },
    },
  };
}

/** Chunks and styles that these chunks load, except dynamic imports that wait for the user. */
function filesOf(chunks, { bundle, waits }, found = new Set()) {
  for (const chunk of chunks) {
    if (chunk === undefined || found.has(chunk.fileName)) continue;
    found.add(chunk.fileName);
    for (const style of chunk.viteMetadata?.importedCss ?? []) found.add(style);
    const later = chunk.dynamicImports.map((file) => bundle[file]);
    const needed = [
      ...chunk.imports.map((file) => bundle[file]),
      ...later.filter((one) => one !== undefined && !waits(one)),
    ];
    filesOf(needed, { bundle, waits }, found);
  }
  return found;
}

function gzippedBytes(file) {
  if (file === undefined) return 0;
  return gzipSync(file.type === 'chunk' ? file.code : file.source, { level: 9 }).length;
}
