/** One fact in a list of facts. */
export function Tile({ name, value }: { readonly name: string; readonly value: string | number }) {
  return (
    <div class="tile">
      <dt>{name}</dt>
      <dd>{value}</dd>
    </div>
  );
}
