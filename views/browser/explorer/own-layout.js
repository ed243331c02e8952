/**
 * The library's layout without its second `main`, and without what the page around it says already: title, servers, schemes.
 *
 * @param {object} system  of Swagger UI, with the React that it has in it
 */
export function ownLayout({ React: { createElement } }) {
  function OwnLayout({ getComponent, specSelectors }) {
    const part = (name, isConnected) => createElement(getComponent(name, isConnected), { key: name });
    const isLoaded = specSelectors.loadingStatus() === 'success';
    return createElement('div', { className: 'swagger-ui' }, [
      part('SvgAssets'),
      part('errors', true),
      ...(isLoaded ? [part('FilterContainer', true), part('operations', true)] : []),
    ]);
  }
  return { components: { OwnLayout } };
}
