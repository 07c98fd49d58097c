/* A study as comma-separated values: a line of names, then one line for each run, in the order of the plan. A value that does not exist is empty.
 * Nothing in the file depends on the duration of the runs, or on the process that made them. Kept channels are in a separate file: run, time,
 * channels. */
#include "study/study_file.h"

#include "output/stream.h"

#include <math.h>
#include <string.h>

static void put_number(dal_stream *out, double x)
{
    char text[DAL_DECIMAL_LENGTH];
    if (!isnan(x))
        dal_stream_bytes(out, text, (size_t)dal_decimal_print(&out->decimals, x, text));
}

/* With quotes if necessary: RFC 4180. */
static void put_text(dal_stream *out, const char *text)
{
    if (!strpbrk(text, ",\"\r\n")) {
        dal_stream_text(out, text);
        return;
    }
    dal_stream_text(out, "\"");
    for (const char *p = text; *p; p++)
        dal_stream_bytes(out, *p == '"' ? "\"\"" : p, *p == '"' ? 2 : 1);
    dal_stream_text(out, "\"");
}

static void put_names(dal_stream *out, const dal_study *study)
{
    dal_stream_text(out, "run");
    for (int i = 0; i < study->factors.n; i++) {
        dal_stream_text(out, ",");
        put_text(out, study->factors.item[i].factor.name);
    }
    for (int i = 0; i < study->info.values; i++) {
        dal_stream_text(out, ",");
        put_text(out, study->values[i].name);
    }
    dal_stream_text(out, ",status,reason,kinds of warnings\n");
}

const char *dal_study_status_word(dal_status status)
{
    return status == DAL_OK ? "ok" : status == DAL_NUMERICAL ? "failed" : "refused";
}

static void put_row(dal_stream *out, const dal_study *study, const dal_study_row *row)
{
    dal_stream_print(out, "%ld", row->run);
    for (int i = 0; i < study->factors.n; i++) {
        const dal_planned *p = &study->factors.item[i];
        const double value = dal_factor_value(p, &study->samples, row->run);
        dal_stream_text(out, ",");
        if (p->factor.words)
            put_text(out, p->factor.words[(int)value]);
        else
            put_number(out, value);
    }
    for (int i = 0; i < study->info.values; i++) {
        dal_stream_text(out, ",");
        put_number(out, row->values[i]);
    }
    dal_stream_print(out, ",%s,", dal_study_status_word(row->status));
    put_text(out, row->reason);
    dal_stream_text(out, ",");
    put_text(out, row->warnings);
    dal_stream_text(out, "\n");
}

static void put_channel_names(dal_stream *out, const dal_study *study)
{
    dal_stream_text(out, "run");
    for (int i = 0; i < study->info.channels; i++) {
        dal_stream_text(out, ",");
        put_text(out, study->channels[i].name);
    }
    dal_stream_text(out, "\n");
}

static void put_channel_rows(dal_stream *out, const dal_study *study, const dal_study_row *row)
{
    const int n = study->info.channels;
    for (long k = 0; k < row->n_rows; k++) {
        dal_stream_print(out, "%ld", row->run);
        for (int i = 0; i < n; i++) {
            dal_stream_text(out, ",");
            put_number(out, row->rows[k * n + i]);
        }
        dal_stream_text(out, "\n");
    }
}

typedef void names_putter(dal_stream *out, const dal_study *study);
typedef void row_putter(dal_stream *out, const dal_study *study, const dal_study_row *row);

static dal_status write_lines(const dal_study *study, dal_study_reader *reader, const dal_destination *destination, names_putter *names,
                              row_putter *lines)
{
    dal_stream *out = destination->allocator->allocate(destination->allocator->user, sizeof *out);
    dal_study_row row;
    if (!out)
        return DAL_NO_MEMORY;
    dal_status status = dal_stream_open(out, destination), ended;
    if (status == DAL_OK) {
        names(out, study);
        while (dal_study_next(reader, &row, &status))
            lines(out, study, &row);
        ended = dal_stream_close(out);
        status = status == DAL_OK ? ended : status;
    }
    destination->allocator->release(destination->allocator->user, out);
    return status;
}

dal_status dal_study_write_csv(const dal_study *study, dal_study_reader *reader, const dal_destination *destination)
{
    return write_lines(study, reader, destination, put_names, put_row);
}

dal_status dal_study_write_channels(const dal_study *study, dal_study_reader *reader, const dal_destination *destination)
{
    return write_lines(study, reader, destination, put_channel_names, put_channel_rows);
}
