"""What was measured, as a page, with what was aimed at."""

import os
import platform
import statistics


def median(rounds, wanted):
    """The median over the rounds of what `wanted` makes of each."""
    return statistics.median(map(wanted, rounds))


def of(rows, server, connections, batch=1):
    return next(
        row for row in rows if (row["server"], row["connections"], row["batch"]) == (server, connections, batch)
    )


def servers(rounds):
    return list(dict.fromkeys(row["server"] for row in rounds[0]))


def loads(rounds):
    yield "| server | connections | a request | stored/s | of bare axum | p50 (ms) | p99 (ms) | CPU (µs each) | peak (MiB) | requests a commit |"
    yield "|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|"
    for row in rounds[0]:
        name, connections, batch = row["server"], row["connections"], row["batch"]
        each = [of(rows, name, connections, batch) for rows in rounds]
        share = median(rounds, lambda rows: of(rows, name, connections, batch)["rate"] / of(rows, "bare axum", connections, batch)["rate"])
        together = "–" if each[0]["together"] is None else f"{median(each, lambda row: row['together']):.1f}"
        yield (
            f"| {name} | {connections} | {batch} | {median(each, lambda row: row['rate']):,.0f} | {share:.1%} "
            f"| {median(each, lambda row: row['p50']):.2f} | {median(each, lambda row: row['p99']):.2f} "
            f"| {median(each, lambda row: row['cpu']) * 1e6:.1f} | {max(row['peak'] for row in each):.0f} | {together} |"
        )


PLAIN = {
    "inserted_1": "inserted, one a commit", "inserted_16": "inserted, 16 a commit", "inserted_64": "inserted, 64 a commit",
    "inserted_100": "inserted, 100 a commit", "inserted_800": "inserted, 800 a commit", "copied_800": "copied, 800 a commit",
}


def plain(rounds):
    yield "| plain rows | SQLite (rows/s) | PostgreSQL (rows/s) |"
    yield "|---|---:|---:|"
    for key, name in PLAIN.items():
        rates = (
            f"{median(rounds, lambda rates: rates[engine][key]):,.0f}" if key in rounds[0][engine] else "–"
            for engine in ("SQLite", "PostgreSQL")
        )
        yield f"| {name} | {' | '.join(rates)} |"


def peers(found):
    yield "| peer | sent | can be read back | stored/s | CPU (µs each) | peak (MiB) |"
    yield "|---|---:|---:|---:|---:|---:|"
    for name, row in found.items():
        yield (
            f"| {name} {row['version']} | {row['sent']:,} | {row['stored']:,} | {row['rate']:,.0f} "
            f"| {row['cpu'] * 1e6:,.0f} | {row['peak']:,.0f} |"
        )


def disk(found):
    yield "| database | JSON (bytes each) | stored | of JSON | with the index of words | of JSON |"
    yield "|---|---:|---:|---:|---:|---:|"
    for engine, (json, stored, indexed) in found.items():
        yield f"| {engine} | {json:,.0f} | {stored:,.0f} | {stored / json:.2f} | {indexed:,.0f} | {indexed / json:.2f} |"


def questions(found):
    for table in found:
        yield (
            f"{table['rows']:,} interactions with {table['texts']} texts on SQLite; stored as history at {table['stored']:,.0f}/s, "
            f"indexed at {table['indexed']:,.0f}/s."
        )
        yield ""
        yield "| question | found | p50 (ms) | p95 (ms) |"
        yield "|---|---:|---:|---:|"
        for row in table["answers"]:
            yield f"| {row['question']} | {row['found']:,} | {row['p50']:.2f} | {row['p95']:.2f} |"
        yield ""


def goals(found):
    """What is aimed at, what came out, and whether that is enough, as far as the parts for it were measured."""
    for engine in ("SQLite", "PostgreSQL"):
        if found["load"]:
            def share(rows):
                return of(rows, engine, 256)["rate"] / of(rows, "bare axum", 256)["rate"]

            yield f"{engine}, 256 connections, of bare axum", "≥ 35 %", median(found["load"], share), 0.35, "{:.1%}"
        if found["load"] and found["plain"]:
            both = list(zip(found["load"], found["plain"]))
            for connections in (16, 64):
                def of_commits(pair):
                    return of(pair[0], engine, connections)["rate"] / (connections * pair[1][engine]["inserted_1"])

                name = f"{engine}, {connections} connections, of connections × commits/s of single rows"
                wanted = 0.7 * median(found["plain"], lambda rates: connections * rates[engine]["inserted_1"])
                # Beside what answering alone and inserting alone allow, since the aim may be more than either.
                bare = median(found["load"], lambda rows: of(rows, "bare axum", connections)["rate"])
                inserted = median(found["plain"], lambda rates: rates[engine][f"inserted_{connections}"])
                aim = f"≥ 70 % ({wanted:,.0f}/s; bare axum {bare:,.0f}/s, plain inserts {inserted:,.0f}/s)"
                yield name, aim, median(both, of_commits), 0.7, "{:.1%}"
                own = median(found["load"], lambda rows: of(rows, engine, connections)["together"] / connections)
                yield f"{engine}, {connections} connections, of connections × its own commits/s", "≥ 70 %", own, 0.7, "{:.1%}"

            def of_plain(pair):
                return of(pair[0], engine, 8, 100)["rate"] / pair[1][engine]["inserted_800"]

            yield f"{engine}, arrays of 100, of plain inserts", "≥ 50 %", median(both, of_plain), 0.5, "{:.1%}"
        if found["load"] and "peers" in found:
            fastest = max(row["rate"] for row in found["peers"].values())
            thriftiest = min(row["cpu"] for row in found["peers"].values())
            rate = median(found["load"], lambda rows: of(rows, engine, 256)["rate"])
            cpu = median(found["load"], lambda rows: of(rows, engine, 256)["cpu"])
            yield f"{engine}, 256 connections, of the faster peer", "≥ 100 ×", rate / fastest, 100, "{:,.0f} ×"
            yield f"{engine}, 256 connections, CPU of the thriftier peer over ours", "≥ 100 ×", thriftiest / cpu, 100, "{:,.0f} ×"
        if "disk" in found:
            json, stored, indexed = found["disk"][engine]
            yield f"{engine}, disk of JSON", "≤ 1.4 ×", -stored / json, -1.4, "{:.2f} ×"
            yield f"{engine}, disk of JSON with the index of words", "≤ 2.0 ×", -indexed / json, -2.0, "{:.2f} ×"
    for table in found["questions"]:
        for row in table["answers"]:
            at_once = row["question"] in ("overview of 30 days", "newest page")
            if at_once or table["rows"] <= 1_000_000:
                limit = 50 if at_once else 200
                yield f"{table['rows']:,} rows, {row['question']}, p95", f"< {limit} ms", -row["p95"], -limit, "{:.1f} ms"


def written(found, seconds):
    rounds = max(len(found["load"]), len(found["plain"]))
    lines = [
        "# Results", "",
        f"{os.cpu_count()} cores, {platform.machine()}, {platform.system()} {platform.release()}; {seconds} s each, "
        f"medians of {rounds} rounds, load and databases on the same cores and disk.", "",
        "| goal | aim | measured | |", "|---|---:|---:|---|",
    ]
    for name, aim, value, least, form in goals(found):
        lines.append(f"| {name} | {aim} | {form.format(abs(value))} | {'met' if value >= least else 'missed'} |")
    tables = [
        ("Load", loads, found["load"]), ("Plain inserts", plain, found["plain"]), ("Peers", peers, found.get("peers")),
        ("Disk", disk, found.get("disk")), ("Questions", questions, found["questions"]),
    ]
    for title, table, rows in tables:
        if rows:
            lines += ["", f"## {title}", "", *table(rows)]
    return "\n".join(lines).rstrip() + "\n"
