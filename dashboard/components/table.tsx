import { memo, type ReactNode, type RefObject } from "react";

/** One column of a table. */
export interface Column<Row> {
  readonly title: string;
  readonly cell: (row: Row) => ReactNode;
  /** The cell that names the row. */
  readonly isHead?: boolean;
  /** Aligned to the right, the title too. */
  readonly isNumber?: boolean;
  readonly className?: string;
  readonly titleClass?: string;
}

/** Of a table that draws only the rows near the screen. */
interface TableWindow<Row> {
  /** Pixels of the rows that are not drawn. */
  readonly above: number;
  readonly below: number;
  /** As many rows as there are; -1 when that is not known. */
  readonly rowCount: number;
  readonly rowIndexOf: (row: Row, index: number) => number;
  /** Index of the first row that is drawn. */
  readonly first: number;
  readonly measure?: (row: HTMLTableRowElement | null) => void;
}

interface VirtualRow {
  readonly index: number;
  readonly start: number;
  readonly end: number;
}

/** The rows that a virtualizer draws, and the space of the others. `total` and `margin` are its own, in pixels. */
export function drawnPart<Row>(all: readonly Row[], drawn: readonly VirtualRow[], total: number, margin = 0) {
  const [first] = drawn;
  const last = drawn.at(-1);
  if (first === undefined || last === undefined) return { rows: [], first: 0, above: 0, below: 0 };
  return {
    rows: all.slice(first.index, last.index + 1),
    first: first.index,
    above: first.start - margin,
    below: total - (last.end - margin),
  };
}

interface TableProps<Row> {
  readonly label: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly keyOf: (row: Row) => string | number;
  /** Other than the usual look. */
  readonly className?: string;
  readonly rowClass?: string;
  readonly window?: TableWindow<Row>;
  readonly bodyRef?: RefObject<HTMLTableSectionElement | null>;
}

/** A table that scrolls to the side by itself where the screen is too narrow. */
export function ScrollTable<Row>({
  boxClass = "",
  boxRef,
  ...table
}: TableProps<Row> & {
  readonly boxClass?: string;
  readonly boxRef?: RefObject<HTMLDivElement | null>;
}): ReactNode {
  return (
    <div ref={boxRef} className={`${boxClass} scroll-x`.trim()} role="group" aria-label={table.label} tabIndex={0}>
      <Table {...table} />
    </div>
  );
}

/** Roles are written out: browsers drop them where styles lay rows out as cards. */
export function Table<Row>({
  label,
  columns,
  rows,
  keyOf,
  className = "plain-table",
  rowClass,
  window: drawn,
  bodyRef,
}: TableProps<Row>): ReactNode {
  return (
    <table className={className} role="table" aria-label={label} aria-rowcount={drawn?.rowCount}>
      <thead role="rowgroup">
        <tr role="row" aria-rowindex={drawn === undefined ? undefined : 1}>
          {columns.map(({ title, titleClass, isNumber }) => (
            <th key={title} scope="col" role="columnheader" className={isNumber === true ? "number" : titleClass}>
              {title}
            </th>
          ))}
        </tr>
      </thead>
      <tbody ref={bodyRef} role="rowgroup">
        <Gap height={drawn?.above ?? 0} span={columns.length} />
        {rows.map((row, place) => (
          <TableRow
            key={keyOf(row)}
            columns={columns}
            row={row}
            {...(rowClass === undefined ? {} : { className: rowClass })}
            {...(drawn === undefined ? {} : windowed(row, drawn.first + place, drawn))}
          />
        ))}
        <Gap height={drawn?.below ?? 0} span={columns.length} />
      </tbody>
    </table>
  );
}

function windowed<Row>(row: Row, index: number, { rowIndexOf, measure }: TableWindow<Row>) {
  return { index, rowIndex: rowIndexOf(row, index), ...(measure === undefined ? {} : { measure }) };
}

interface RowProps<Row> {
  readonly columns: readonly Column<Row>[];
  readonly row: Row;
  readonly className?: string;
  readonly index?: number;
  readonly rowIndex?: number;
  readonly measure?: (row: HTMLTableRowElement | null) => void;
}

const TableRow = memo(PlainRow) as typeof PlainRow;

function PlainRow<Row>({ columns, row, className, index, rowIndex, measure }: RowProps<Row>): ReactNode {
  return (
    <tr ref={measure} role="row" className={className} data-index={index} aria-rowindex={rowIndex}>
      {columns.map(({ title, cell, isHead, isNumber, className: own }) => {
        const look = isNumber === true ? `number ${own ?? ""}`.trim() : own;
        return isHead === true ? (
          <th key={title} scope="row" role="rowheader" className={look}>
            {cell(row)}
          </th>
        ) : (
          <td key={title} role="cell" className={look}>
            {cell(row)}
          </td>
        );
      })}
    </tr>
  );
}

function Gap({ height, span }: { readonly height: number; readonly span: number }): ReactNode {
  return height <= 0 ? null : (
    <tr aria-hidden="true" className="table-gap">
      <td colSpan={span} style={{ height }} />
    </tr>
  );
}
